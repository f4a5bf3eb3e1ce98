using System;
using System.Buffers.Binary;
using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>Breadth first over every state that a model can reach, so that what breaks a promise is found by the shortest way. Of a
/// state only a fingerprint of 128 bits is kept once its successors are known.</summary>
internal sealed class Explorer(ProtocolModel model)
{
    private readonly HashSet<UInt128> _seen = [];
    private readonly List<(int Parent, int Ordinal)> _ways = [];
    private readonly Queue<byte[]> _ahead = [];
    private readonly Chooser _chooser = new();
    private readonly byte[] _buffer = new byte[World.BytesMax];
    private long _transitions;
    private int _kills;
    private int _cuts;
    private int _recoveries;

    /// <summary>Explores everything, or up to the first broken promise.</summary>
    /// <param name="statesMax">More states than this are an error: nothing is left out silently.</param>
    internal Exploration Run(int statesMax)
    {
        World world = model.Begin();
        _ = TryAdd(world, -1, 0);
        for (int index = 0; _ahead.TryDequeue(out byte[]? state); index++)
        {
            if (Expand(world, state, index) is { } broken)
            {
                return Report(broken.Exception, [.. Tell(index), .. TellStep(world, state, broken.Ordinal)]);
            }

            if (_ways.Count > statesMax)
            {
                throw new InvalidOperationException($"{model.Scope} has more than {statesMax} states");
            }
        }

        return Report(null, []);
    }

    /// <summary>Adds every successor of a state; returns the first that breaks a promise.</summary>
    private (BrokenPromiseException Exception, int Ordinal)? Expand(World world, byte[] state, int index)
    {
        _chooser.Restart();
        int ordinal = 0;
        do
        {
            world.Load(state);
            Phase before = world.Phase;
            try
            {
                if (!model.Step(world, _chooser))
                {
                    return null;
                }
            }
            catch (BrokenPromiseException exception)
            {
                return (exception, ordinal);
            }

            _transitions++;
            _recoveries += before == Phase.Down && world.Phase != Phase.Down ? 1 : 0;
            if (TryAdd(world, index, ordinal) && world.Phase == Phase.Down)
            {
                _kills += world.WasCut ? 0 : 1;
                _cuts += world.WasCut ? 1 : 0;
            }

            ordinal++;
        }
        while (_chooser.MoveNext());

        return null;
    }

    private bool TryAdd(World world, int parent, int ordinal)
    {
        ReadOnlySpan<byte> bytes = _buffer.AsSpan(0, world.Save(_buffer));
        if (!_seen.Add(Fingerprint(bytes)))
        {
            return false;
        }

        _ways.Add((parent, ordinal));
        _ahead.Enqueue(bytes.ToArray());
        return true;
    }

    private Exploration Report(BrokenPromiseException? broken, List<string> trace)
    {
        if (broken is not null)
        {
            trace.Add(broken.Message);
        }

        return new Exploration(_ways.Count, _transitions, _kills, _cuts, _recoveries, broken, trace);
    }

    /// <summary>The way to a state in words: taken once more, with somebody listening.</summary>
    private List<string> Tell(int index)
    {
        var ordinals = new Stack<int>();
        for (int at = index; _ways[at].Parent >= 0; at = _ways[at].Parent)
        {
            ordinals.Push(_ways[at].Ordinal);
        }

        World world = model.Begin();
        var story = new List<string>();
        byte[] state = SaveOf(world);
        while (ordinals.TryPop(out int ordinal))
        {
            story.AddRange(TellStep(world, state, ordinal));
            state = SaveOf(world);
        }

        return story;
    }

    private List<string> TellStep(World world, byte[] state, int ordinal)
    {
        _chooser.Restart();
        List<string> story = [];
        for (int at = 0; at <= ordinal; at++)
        {
            if (at > 0)
            {
                _ = _chooser.MoveNext();
            }

            world.Load(state);
            world.Story = story = [];
            try
            {
                _ = model.Step(world, _chooser);
            }
            catch (BrokenPromiseException) when (at == ordinal)
            {
                // The caller tells it last.
            }
        }

        world.Story = null;
        return story;
    }

    private byte[] SaveOf(World world) => _buffer[..world.Save(_buffer)];

    /// <summary>Two sums of 64 bits, each folding every 8 bytes by a multiplication to 128 bits. Two states share one with a chance
    /// of about the square of their number over 2^128.</summary>
    private static UInt128 Fingerprint(ReadOnlySpan<byte> bytes)
    {
        ulong first = 0x9E3779B97F4A7C15 ^ (ulong)bytes.Length;
        ulong second = 0xC2B2AE3D27D4EB4F;
        for (int at = 0; at < bytes.Length; at += sizeof(ulong))
        {
            ulong word = WordAt(bytes[at..]);
            first = Fold(first ^ word, 0xA0761D6478BD642F);
            second = Fold(second + word, 0xE7037ED1A0B428DB) ^ first;
        }

        return new UInt128(first, second);
    }

    private static ulong WordAt(ReadOnlySpan<byte> rest)
    {
        if (rest.Length >= sizeof(ulong))
        {
            return BinaryPrimitives.ReadUInt64LittleEndian(rest);
        }

        ulong word = 0;
        foreach (byte value in rest)
        {
            word = (word << 8) | value;
        }

        return word;
    }

    private static ulong Fold(ulong left, ulong right)
    {
        ulong high = Math.BigMul(left, right, out ulong low);
        return high ^ low;
    }
}
