"""Changes by agents to small repositories, cheats and honest ones. See README.md."""
