// What a factory answers, and what is answered for it: a value, or that there is none.
// A value: nothing is allocated for it.
using System;
using System.Diagnostics.CodeAnalysis;
using Pile.Primitives;

namespace Pile.Cache;

/// <summary>A value with the terms of its entry, or that a key has no value and how long that is remembered.</summary>
/// <typeparam name="TValue">The type of values.</typeparam>
public readonly record struct PileAnswer<TValue>
    where TValue : notnull
{
    /// <summary>Answers with a value.</summary>
    /// <param name="value">The value.</param>
    /// <exception cref="ArgumentNullException">The value is null.</exception>
    public PileAnswer(TValue value)
    {
        ArgumentNullException.ThrowIfNull(value);
        Value = value;
        HasValue = true;
    }

    /// <summary>Answers that the key has no value: the default, remembered for no time.</summary>
    /// <param name="remembered">How long that is remembered, zero or more: until then nobody asks the factory again for the key.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    public PileAnswer(TimeSpan remembered)
    {
        if (remembered < TimeSpan.Zero)
        {
            Throw.Argument(nameof(remembered), remembered, "The time for which it is remembered that a key has no value must be zero or more.");
        }

        Remembered = remembered;
    }

    /// <summary>Whether there is a value.</summary>
    [MemberNotNullWhen(true, nameof(Value))]
    public bool HasValue { get; }

    /// <summary>The value; default where there is none.</summary>
    public TValue? Value { get; }

    /// <summary>From a factory: the terms of the value's entry; null for those of <see cref="PileFactoryOptions.Entry"/>.</summary>
    public PileEntryOptions? Entry { get; init; }

    /// <summary>From a factory that has no value: how long that is remembered.</summary>
    public TimeSpan Remembered { get; }

    /// <summary>From a factory that has no value and did not ask whether there is one: what stands under the key stays.</summary>
    internal bool LeavesEntry { get; init; }

    /// <summary>From a table: whether the value was served past its end, because the factory failed, was slow, or is refreshing it.</summary>
    public bool IsStale { get; internal init; }
}
