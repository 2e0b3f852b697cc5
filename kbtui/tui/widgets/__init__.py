"""Widgets of the app: each shows one part of an answer."""
