"""Warehouses as CSV."""

import csv

from stock.items import Warehouse


def read_csv(path):
    warehouse = Warehouse()
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            warehouse.add(row["sku"], int(row["number"]))
    return warehouse


def write_csv(warehouse, path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["sku", "number"])
        for sku in warehouse.skus():
            writer.writerow([sku, warehouse.count(sku)])
