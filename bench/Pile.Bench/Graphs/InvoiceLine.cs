namespace Pile.Bench.Graphs;

/// <summary>A line of an invoice.</summary>
public sealed class InvoiceLine
{
    public string Article { get; set; } = "";

    public int Quantity { get; set; }

    public decimal Price { get; set; }
}
