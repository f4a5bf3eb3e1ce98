namespace Pile.Bench.Graphs;

/// <summary>Who is billed, and who is delivered to.</summary>
public sealed class Customer
{
    public int Number { get; set; }

    public string Name { get; set; } = "";

    public string Street { get; set; } = "";

    public string City { get; set; } = "";

    public string Country { get; set; } = "";
}
