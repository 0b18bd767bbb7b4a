import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "Kernels"
extensions = ["zeview"]
# A folder with a zeview release, which is copied as it is: html_extra_path takes what is in it.
html_extra_path = ["extra"]
exclude_patterns = ["extra", "_build"]
zeview_page = "zeview"
