# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_transforms.py: the transforms of the registry, as tenon.data has them.
"""What is done with batches: `tenon.data.batches(images, 64, transforms=[tenon.data.flip()])`."""

from tenon import _core, _errors


class Transform:
    """What is done with one field of each batch: `tenon.data.transform("acme.blur", radius=2)`, and
    for those that come with Tenon `normalise`, `flatten`, `crop`, `pad`, `flip`, `rotate`,
    `color_jitter`, `random_erasing`, `mask_tokens`.

    name     that of the registry
    field    the number of the field that it replaces
    options  as the transform's documentation says
    """

    def __init__(self, name, field=0, **options):
        if not isinstance(field, int) or not 0 <= field < 2**32:
            raise _errors.make_refusal("value", name, "field", "the number of a field", repr(field))
        self.name, self.field = name, field
        self._handle = _core.create_transform(name, options)

    def __repr__(self):
        return f"<transform {self.name} of field {self.field}>"


def transform(name, *, field=0, **options):
    """The transform of that name in the registry, with its options."""
    return Transform(name, field, **options)


def _listed(numbers):
    return list(numbers) if isinstance(numbers, (list, tuple)) else [numbers]


def normalise(mean=0.0, deviation=1.0, *, scale=1.0, field=0):
    """(value / scale - mean) / deviation as float32, of uint8 and float32.

    mean, deviation  numbers, or one for each channel of [n, channels, ...]
    scale            255 takes pixels to 0 ... 1
    """
    mean, deviation = _listed(mean), _listed(deviation)
    return Transform("tenon.normalise", field, mean=mean, deviation=deviation, scale=scale)


def flatten(*, field=0):
    """[n, ...] as [n, the rest]."""
    return Transform("tenon.flatten", field)


def crop(height, width, *, padding=0, random=False, field=0):
    """A window of each image [n, ..., H, W] with `padding` zeros on each side: the middle, or a
    random place, which depends on seed, epoch and sample alone."""
    return Transform(
        "tenon.crop", field, height=height, width=width, padding=padding, random=random
    )


def pad(padding, *, mode="constant", value=0.0, field=0):
    """More rows and columns around each image [n, ..., H, W].

    padding  one number for all sides; left and right, top and bottom; or left, top, right, bottom
    mode     "constant", "reflect" or "replicate"
    value    around the image in mode "constant"
    """
    return Transform("tenon.pad", field, padding=_listed(padding), mode=mode, value=value)


def flip(probability=0.5, *, vertical=False, field=0):
    """Some of the images [n, ..., H, W], by chance, with their columns from right to left, or their
    rows from bottom to top."""
    return Transform("tenon.flip", field, probability=probability, vertical=vertical)


def rotate(degrees, *, fill=0.0, nearest=False, field=0):
    """Each image [n, ..., H, W] turned about its middle by a random angle, counter-clockwise.

    degrees  the most either way; or the least and the most, -360 to 360
    fill     beside the image
    nearest  the nearest pixel in place of the bilinear mean of four: for masks
    """
    return Transform("tenon.rotate", field, degrees=_listed(degrees), fill=fill, nearest=nearest)


def color_jitter(brightness=0.0, contrast=0.0, saturation=0.0, hue=0.0, *, field=0):
    """Each changed by a random factor, in random order, of images [n, 3, H, W], or grey ones,
    [n, 1, H, W] or [n, H, W]; uint8, or float32 from 0 to 1.

    brightness, contrast, saturation  b, for factors from max(0, 1 - b) to 1 + b; or both ends
    hue                               the most either way, 0 to 0.5, where 1 is a full turn; or both
    """
    return Transform(
        "tenon.color_jitter", field, brightness=_listed(brightness), contrast=_listed(contrast),
        saturation=_listed(saturation), hue=_listed(hue),
    )  # fmt: skip


def random_erasing(
    probability=0.5, *, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0.0, field=0
):
    """A random rectangle of each image [n, ..., H, W] overwritten, by chance.

    scale  least and largest area, as a part of the image
    ratio  least and largest height divided by width
    value  a number, or one for each channel of [n, channels, H, W]
    """
    return Transform(
        "tenon.random_erasing", field, probability=probability, scale=_listed(scale),
        ratio=_listed(ratio), value=_listed(value),
    )  # fmt: skip


def mask_tokens(mask, vocabulary, *, probability=0.15, special=(), targets=False, field=0):
    """Some tokens of each row hidden, or with `targets` what was hidden, and -100 for the others.

    mask        the token that hides 8 of 10 that are chosen; 1 of 10 becomes any token
    vocabulary  how many tokens there are
    special     tokens that are never chosen
    """
    options = {"special": list(special)} if special else {}
    return Transform(
        "tenon.mask_tokens",
        field,
        mask=mask,
        vocabulary=vocabulary,
        probability=probability,
        targets=targets,
        **options,
    )


# Where they are found.
for _each in (
    Transform,
    color_jitter,
    crop,
    flatten,
    flip,
    mask_tokens,
    normalise,
    pad,
    random_erasing,
    rotate,
    transform,
):
    _each.__module__ = "tenon.data"
