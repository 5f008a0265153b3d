# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_notebook.py: what notebooks show of tensors, models, graphs and plans, by
# IPython's `_repr_svg_` and `_repr_html_`.

SHOWN = 10  # rows, and columns, of a tensor; of a longer one half of them from either end


class Picture(str):
    """The text of an SVG, which a notebook draws."""

    def _repr_svg_(self):
        return str(self)


def _escaped(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _row(cells, tag="td"):
    return "<tr>" + "".join(f"<{tag}>{_escaped(each)}</{tag}>" for each in cells) + "</tr>"


def _table(caption, rows):
    return f"<table><caption>{_escaped(caption)}</caption>{''.join(rows)}</table>"


def _places(length):
    """Which of them are shown, None where some are left out."""
    if length <= SHOWN:
        return list(range(length))
    half = SHOWN // 2
    return [*range(half), None, *range(length - half, length)]


def text_html(text):
    return f"<pre>{_escaped(text)}</pre>"


def tensor_html(x):
    """Of two dimensions a table, else the text."""
    if x.ndim != 2 or x.size == 0:
        return text_html(repr(x))
    down, across = _places(x.shape[0]), _places(x.shape[1])
    values = x.detach()
    integral = not x.dtype.is_floating_point
    rows = []
    for i in down:
        line = None if i is None else values[i]
        cells = [None if line is None or j is None else line[j].item() for j in across]
        rows.append(
            _row("..." if each is None else each if integral else f"{each:.4g}" for each in cells)
        )
    caption = f"{x.dtype.name} [{x.shape[0]},{x.shape[1]}] {x.device}"
    return _table(caption + ", requires_grad" * x.requires_grad, rows)


def _kind(module):
    options = getattr(module, "options", None)
    if options is None:
        return type(module).__name__
    return f"{module.name}({', '.join(f'{name}={value!r}' for name, value in options.items())})"


def model_html(model):
    """A row for each module: its name, what it is, its own tensors, how many numbers they hold. A
    tensor of several modules is in the first one's row."""
    modules = dict(model.named_modules())
    own = {path: [] for path in modules}
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        path = name.rpartition(".")[0]
        while path not in own:  # a list of tensors is no module
            path = path.rpartition(".")[0]
        own[path].append((name[len(path) + 1 :] if path else name, tensor))
    rows = [_row(("name", "is", "tensors", "elements"), "th")]
    for path, module in modules.items():
        tensors = ", ".join(f"{name} {list(each.shape)}" for name, each in own[path])
        count = sum(each.size for _, each in own[path])
        rows.append(_row((path or "-", _kind(module), tensors, f"{count:,}" if tensors else "")))
    trained = sum(each.size for each in model.parameters())
    kept = sum(each.size for each in model.buffers())
    return _table(f"{trained:,} parameters" + f", {kept:,} in buffers" * (kept > 0), rows)
