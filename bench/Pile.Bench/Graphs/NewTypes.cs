using System;
using System.Collections.Generic;

namespace Pile.Bench.Graphs;

/// <summary>Classes of seven fields that nothing has used before: one a measurement.</summary>
internal static class NewTypes
{
    /// <summary>Makes an object of each.</summary>
    internal static IReadOnlyList<Func<object>> Makers { get; } =
    [
        static () => new New00 { A = "a", B = "b", F = 5 },
        static () => new New01 { A = "a", B = "b", F = 5 },
        static () => new New02 { A = "a", B = "b", F = 5 },
        static () => new New03 { A = "a", B = "b", F = 5 },
        static () => new New04 { A = "a", B = "b", F = 5 },
        static () => new New05 { A = "a", B = "b", F = 5 },
        static () => new New06 { A = "a", B = "b", F = 5 },
        static () => new New07 { A = "a", B = "b", F = 5 },
        static () => new New08 { A = "a", B = "b", F = 5 },
        static () => new New09 { A = "a", B = "b", F = 5 },
        static () => new New10 { A = "a", B = "b", F = 5 },
        static () => new New11 { A = "a", B = "b", F = 5 },
        static () => new New12 { A = "a", B = "b", F = 5 },
        static () => new New13 { A = "a", B = "b", F = 5 },
        static () => new New14 { A = "a", B = "b", F = 5 },
        static () => new New15 { A = "a", B = "b", F = 5 },
        static () => new New16 { A = "a", B = "b", F = 5 },
        static () => new New17 { A = "a", B = "b", F = 5 },
        static () => new New18 { A = "a", B = "b", F = 5 },
        static () => new New19 { A = "a", B = "b", F = 5 },
        static () => new New20 { A = "a", B = "b", F = 5 },
        static () => new New21 { A = "a", B = "b", F = 5 },
        static () => new New22 { A = "a", B = "b", F = 5 },
        static () => new New23 { A = "a", B = "b", F = 5 },
    ];

    internal sealed class New00 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New01 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New02 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New03 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New04 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New05 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New06 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New07 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New08 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New09 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New10 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New11 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New12 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New13 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New14 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New15 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New16 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New17 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New18 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New19 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New20 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New21 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New22 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
    internal sealed class New23 { public string? A { get; set; } public string? B { get; set; } public DateTime C { get; set; } public Guid D { get; set; } public decimal E { get; set; } public int F { get; set; } public bool G { get; set; } }
}
