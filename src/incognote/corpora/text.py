"""Plain text notes, one ``.txt`` file each in a folder and its subfolders; the path without ``.txt`` is the id.

The format holds no spans and no patient.
"""

from incognote.corpora.files import folder_format, read_text
from incognote.document import Document

TEXT = folder_format(
    "text",
    (".txt",),
    lambda id, file, _: Document(id, read_text(file, document=id)),
    lambda document, _: {".txt": document.text},
)
