"""Hidden references: load, vet, run, agree."""
