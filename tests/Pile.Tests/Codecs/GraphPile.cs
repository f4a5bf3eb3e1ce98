using System;
using Pile.Codecs;

namespace Pile.Tests.Codecs;

/// <summary>A checked pile that uses one kind of plan.</summary>
internal sealed class GraphPile(string mode, PileOptions? options = null) : IDisposable
{
    private readonly CheckedPile _checked = new((options ?? PileOptions.Tiny) with { Plans = Enum.Parse<PlanMode>(mode) });

    internal ObjectPile Pile => _checked.It;

    public void Dispose() => _checked.Dispose();

    /// <summary>The value put and got back.</summary>
    internal T Once<T>(T value)
        where T : notnull => Pile.Get<T>(Pile.Put(value));

    /// <summary>The value put and got back, the copy once more: a wrong copy shows twice.</summary>
    internal T Twice<T>(T value)
        where T : notnull => Once(Once(value));
}
