using System;

namespace Pile.Bench.Graphs;

/// <summary>The fields of <see cref="Person"/> in a class that the source generator writes code for.</summary>
[PileObject]
public sealed partial class MarkedPerson
{
    public string Name { get; set; } = "";

    public string City { get; set; } = "";

    public DateTime Born { get; set; }

    public Guid Id { get; set; }

    public decimal Balance { get; set; }

    public int Level { get; set; }

    public bool IsActive { get; set; }

    internal static MarkedPerson Of(Person person) => new()
    {
        Name = person.Name,
        City = person.City,
        Born = person.Born,
        Id = person.Id,
        Balance = person.Balance,
        Level = person.Level,
        IsActive = person.IsActive,
    };
}
