using System;
using System.Collections.Generic;

namespace Pile.Bench.Graphs;

/// <summary>An invoice of ten lines whose two customers are one and the same object: 42 fields in all.</summary>
public sealed class Invoice
{
    public Guid Id { get; set; }

    public string Number { get; set; } = "";

    public DateTime Issued { get; set; }

    public Customer? BillTo { get; set; }

    public Customer? ShipTo { get; set; }

    public List<InvoiceLine> Lines { get; set; } = [];

    public bool IsPaid { get; set; }
}
