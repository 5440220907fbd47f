"""Running a Deidentifier over whole corpora: two resumable passes on an executor, with a report."""

from incognote.batch.executor import Executor
from incognote.batch.job import Job
from incognote.batch.local import LocalPool
from incognote.batch.report import render_report
from incognote.batch.scrub import scrub_corpus
from incognote.batch.summary import Summary

__all__ = ["Executor", "Job", "LocalPool", "Summary", "render_report", "scrub_corpus"]
