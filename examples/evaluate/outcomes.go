package main

type outcomesRecord struct{}
