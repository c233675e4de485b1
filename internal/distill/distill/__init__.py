"""Makes the built-in static embedding model: corpus, teacher vectors, training, export, evaluation."""
