"""Corpora, trees and documents on the command line."""
