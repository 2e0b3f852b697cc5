"""The app: a Textual face on the explorer; it renders answers and ranks, packs and cuts nothing itself."""
