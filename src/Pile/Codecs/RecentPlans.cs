// The plans that a thread used last, by type: most graphs are of few types, and of one after the other.
// Types of collectible load contexts are looked up each time, so that nothing here holds them.
using System;

namespace Pile.Codecs;

/// <summary>A small cache of plans. Not thread-safe.</summary>
internal sealed class RecentPlans
{
    private const int Entries = 64;
    private readonly Type?[] _types = new Type?[Entries];
    private readonly Plan?[] _plans = new Plan?[Entries];
    private Type? _lastType;
    private Plan? _lastPlan;

    /// <summary>The plan of a type.</summary>
    internal Plan Of(Type type) => ReferenceEquals(type, _lastType) ? _lastPlan! : Find(type);

    private Plan Find(Type type)
    {
        int entry = (type.GetHashCode() >> 3) & (Entries - 1);
        if (!ReferenceEquals(_types[entry], type))
        {
            Plan plan = Plans.Of(type);
            if (type.IsCollectible)
            {
                return plan;
            }

            _types[entry] = type;
            _plans[entry] = plan;
        }

        _lastType = type;
        _lastPlan = _plans[entry];
        return _lastPlan!;
    }
}
