"""``python -m kbtui`` is ``kbtui``."""

import sys

from kbtui.cli import main

sys.exit(main())
