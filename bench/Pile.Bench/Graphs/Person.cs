using System;

namespace Pile.Bench.Graphs;

/// <summary>A person, as programs have them: two strings, a time, an identifier, an amount, a number, a flag.</summary>
public sealed class Person
{
    public string Name { get; set; } = "";

    public string City { get; set; } = "";

    public DateTime Born { get; set; }

    public Guid Id { get; set; }

    public decimal Balance { get; set; }

    public int Level { get; set; }

    public bool IsActive { get; set; }
}
