# SPDX-License-Identifier: Apache-2.0
# tests/python/conftest.py: for `python -m pytest tests/python`.

# They need processes of their own: one measures, the other builds and installs a wheel.
collect_ignore = ["package_test.py"]
