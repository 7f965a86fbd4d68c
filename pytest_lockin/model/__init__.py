"""The nouns that flow between stages: frozen, slotted, JSON-able. Imports no library."""
