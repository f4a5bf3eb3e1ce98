// The registry of codecs: a type's codec and the number stored with its objects. Frozen when a pile takes it.
// It does not choose between lane and codec: types with a raw lane never ask here (TypedPayloads).
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Pile.Codecs;

namespace Pile;

/// <summary>Codecs by type. Fill it before the pile is created; not thread-safe while it is filled.</summary>
public sealed class PileCodecs
{
    private readonly Dictionary<Type, CodecSlot> _byType = [];
    private readonly Dictionary<int, CodecSlot> _byId = [];

    /// <summary>Registers a codec.</summary>
    /// <typeparam name="T">The type it writes. Objects are stored by their own runtime type, so T is that type, not a base.</typeparam>
    /// <param name="id">The number stored with each object, 1 or more; keep it for ever if the pile outlives the process.</param>
    /// <param name="codec">The codec. It has objects that are put by themselves; the general codec writes those within other objects.</param>
    /// <returns>This registry, for the next call.</returns>
    /// <exception cref="ArgumentException">The type or the number is registered already, or the type has a lane of its own: text, bytes, an
    /// unmanaged value, an array of them.</exception>
    public PileCodecs Add<T>(int id, IPileCodec<T> codec)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(codec);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(id);
        if (LaneOf<T>.Lane != Lane.Codec)
        {
            throw new ArgumentException($"{typeof(T)} is stored in a lane of its own and takes no codec.", nameof(codec));
        }

        if (_byType.ContainsKey(typeof(T)))
        {
            throw new ArgumentException($"A codec for {typeof(T)} is registered already.", nameof(codec));
        }

        if (_byId.ContainsKey(id))
        {
            throw new ArgumentException($"Codec number {id} is taken already; each type needs its own.", nameof(id));
        }

        Keep(typeof(T), new CodecSlot<T>(id, codec));
        return this;
    }

    /// <summary>Whether no type has a codec.</summary>
    internal bool IsEmpty => _byType.Count == 0;

    internal bool TryGet(Type type, [NotNullWhen(true)] out CodecSlot? slot)
    {
        slot = null;
        return _byType.Count > 0 && _byType.TryGetValue(type, out slot);
    }

    internal bool TryGet(int id, [NotNullWhen(true)] out CodecSlot? slot) => _byId.TryGetValue(id, out slot);

    internal PileCodecs Copy()
    {
        var copy = new PileCodecs();
        foreach ((Type type, CodecSlot slot) in _byType)
        {
            copy.Keep(type, slot);
        }

        return copy;
    }

    private void Keep(Type type, CodecSlot slot)
    {
        _byType.Add(type, slot);
        _byId.Add(slot.Id, slot);
    }
}
