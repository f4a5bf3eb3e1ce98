// A key that one thread changes and all read. Its owner knows what each of its calls has to find: the entry that it stored last, unless that has
// ended, was cleared, or has left for room. Others know what was acknowledged before they looked.
using System;
using System.Threading;

namespace Pile.Cache.Tests.Model;

/// <summary>Such a key. Changed by its owner; read by all.</summary>
internal sealed class StressOwned(StressRun run, int key, string name)
{
    private long _begun;
    private long _stored;
    private long _gone;

    // The owner's own.
    private long _number;
    private bool _isThere;
    private int _tag = -1;
    private (long Min, long Max) _ends;
    private int _bytes;
    private PileEntryVersion _version;
    private StressClears.Mark _before;
    private StressClears.Mark _behind;

    internal string Name => name;

    public override string ToString() => $"key {key} number {_number}, {_bytes} bytes, tag {_tag}, ends {_ends}, now {run.Now}, set at {_before}, {_behind}";

    /// <summary>A call of its owner.</summary>
    internal void Own(Random random)
    {
        int what = random.Next(100);
        (what < 55 ? Store : what < 70 ? Remove : (Action<Random>)Look)(random);
    }

    /// <summary>A read by any thread.</summary>
    internal void Read(Random random)
    {
        long stored = Volatile.Read(ref _stored);
        long gone = Volatile.Read(ref _gone);
        long number = Read(random.Next(5), random);
        if (number > 0)
        {
            Unless(number <= Volatile.Read(ref _begun), "read", $"number {number} was not set yet, {_begun} was begun");
            Unless(number >= stored && number > gone, "read", $"number {number} was read, {stored} was stored and all up to {gone} removed before");
        }
    }

    /// <summary>Compares, with nobody at work.</summary>
    internal void Rest(byte[]? listed)
    {
        Expected expected = Expect();
        bool isThere = run.Table.TryGet(name, out byte[]? value);
        Judge(expected, isThere, "rest");
        Unless(isThere ? listed is not null : listed is null || run.MayMiss, "rest", $"there {isThere}, enumerated {listed is not null}");
        if (isThere)
        {
            Unless(StressValue.NumberOf(key, value) == _number && StressValue.NumberOf(key, listed) == _number, "rest", "another value");
        }
    }

    private void Look(Random random)
    {
        Expected expected = Expect();
        int how = random.Next(8);
        long number = how switch
        {
            0 => run.Table.ContainsKey(name) ? _number : 0,
            1 => SizeOf(),
            _ => Read(how % 5, random),
        };
        Judge(expected, number != 0, "look");
        Unless(number is 0 or -1 || number == _number, "look", $"number {number}, stored was {_number}");
    }

    private long SizeOf()
    {
        int bytes = run.Table.SizeOf(name);
        Unless(bytes < 0 || bytes == _bytes, "size", $"{bytes} of {_bytes}");
        return bytes < 0 ? 0 : _number;
    }

    private void Remove(Random random)
    {
        Expected expected = Expect();
        int how = random.Next(3);
        if (!run.TryRemove(() => how == 0 ? run.Table.Remove(name) : how == 1 ? run.Table.TryRemove(name, _version) : run.Table.Expire(name), out bool wasThere))
        {
            return;
        }

        Judge(expected, wasThere, "remove");
        _isThere = false;
        Volatile.Write(ref _stored, 0);
        Volatile.Write(ref _gone, _begun);
    }

    private void Store(Random random)
    {
        int bytes = run.BytesOf(random);
        TimeSpan? ttl = random.Next(6) == 0 ? TimeSpan.FromMilliseconds(random.Next(1, 400)) : null;
        int tag = random.Next(4) == 0 ? random.Next(StressClears.Tags) : -1;
        var options = new PileEntryOptions
        {
            TimeToLive = ttl,
            Tags = tag < 0 ? null : [StressRun.TagOf(tag)],
            Priority = random.Next(10) == 0 ? (PileCachePriority)random.Next((int)PileCachePriority.NeverRemove) : null,
        };
        long number = _begun + 1;
        byte[] value = StressValue.Of(key, number, bytes);
        Expected expected = Expect();
        StressClears.Mark before = run.Clears.Before(tag);
        Volatile.Write(ref _begun, number);
        int how = random.Next(6);
        PileTable<string, byte[]> table = run.Table;
        PileSetResult result = how switch
        {
            0 => table.Add(name, value, options),
            1 => table.Replace(name, value, options),
            2 => table.TrySet(name, value, _version, options),
            3 => table.Update(name, value, static (_, next) => next, options),
            4 => Make(value, options, number, expected),
            _ => table.Set(name, value, options),
        };
        bool isLate = ttl is { } span && run.Now >= expected.Now + span.Ticks;
        switch (result.Outcome)
        {
            case PileSetOutcome.Inserted:
                Unless(how is 0 or 4 or 5, "store", $"{how} inserted");
                Judge(expected, isThere: false, $"store {how}");
                break;
            case PileSetOutcome.Replaced:
                Unless(how is not 0, "store", $"{how} replaced");
                Judge(expected, isThere: true, $"store {how}");
                break;
            case PileSetOutcome.Refused:
                Unless(how < 5, "store", $"{how} refused");
                if (!isLate && how < 4)
                {
                    Judge(expected, isThere: how == 0, $"store {how}");
                }

                return;
            case PileSetOutcome.Full:
                Unless(run.NoteFull(), "store", $"{how} full");
                return;
            default:
                Unless(isLate && how is 5, "store", $"{how} {result.Outcome}");
                _isThere = false;
                Volatile.Write(ref _stored, 0);
                Volatile.Write(ref _gone, number);
                return;
        }

        (_number, _isThere, _tag, _bytes, _version) = (number, true, tag, value.Length, result.Version);
        _ends = ttl is { } life ? (expected.Now + life.Ticks, run.Now + life.Ticks) : (long.MaxValue, long.MaxValue);
        (_before, _behind) = (before, run.Clears.Behind(tag));
        Volatile.Write(ref _gone, number - 1);
        Volatile.Write(ref _stored, number);
    }

    // What the factory made is stored, or there is no room for it, or it has ended; nobody else changes the key.
    private PileSetResult Make(byte[] value, PileEntryOptions options, long number, Expected expected)
    {
        byte[] found = run.Table.GetOrAdd(name, value, static (_, made) => made, new PileFactoryOptions { Entry = options });
        long its = StressValue.NumberOf(key, found);
        Unless(its == number || its == _number, "make", $"number {its}, neither the stored {_number} nor the own {number}");
        Judge(expected, isThere: its != number, "make");
        if (its != number)
        {
            return new PileSetResult(PileSetOutcome.Refused, 0);
        }

        if (run.Table.TryGet(name, out byte[]? stored, out PileEntryVersion version))
        {
            Unless(StressValue.NumberOf(key, stored) == number, "make", "another value was stored");
            return new PileSetResult(PileSetOutcome.Inserted, 0) { Version = version };
        }

        _isThere = false;
        Volatile.Write(ref _stored, 0);
        Volatile.Write(ref _gone, number);
        return new PileSetResult(PileSetOutcome.Refused, 0);
    }

    // The number that is read; 0 for nothing, -1 for an entry of which only the length was seen.
    private long Read(int how, Random random)
    {
        PileTable<string, byte[]> table = run.Table;
        switch (how)
        {
            case 0:
                return table.TryGet(name, out byte[]? value) ? StressValue.NumberOf(key, value) : 0;
            case 1:
                if (!table.TryLease(name, out PileLease lease))
                {
                    return 0;
                }

                using (lease)
                {
                    long number = StressValue.NumberOf(key, lease.Bytes);
                    Thread.SpinWait(random.Next(200));
                    Unless(StressValue.NumberOf(key, lease.Bytes) == number, "lease", "it changed");
                    return number;
                }

            case 2:
                Span<byte> room = stackalloc byte[256];
                return table.TryGet(name, room, out int bytes) ? StressValue.NumberOf(key, room[..bytes]) : bytes > 0 ? -1 : 0;
            case 3:
                byte[]?[] values = new byte[]?[2];
                bool[] found = new bool[2];
                _ = table.GetMany(["none", name], values, found);
                Unless(!found[0], "many", "a key that nobody sets is there");
                return found[1] ? StressValue.NumberOf(key, values[1]) : 0;
            default:
                return table.TryGetOrAdd(name, 0, static (_, _) => default, out byte[]? made) ? StressValue.NumberOf(key, made) : 0;
        }
    }

    private Expected Expect() => new(run.Now, !_isThere || run.Now >= _ends.Max || run.Clears.Have(_behind, _tag));

    private void Judge(Expected expected, bool isThere, string at)
    {
        bool mustBe = _isThere && !run.MayMiss && run.Now < _ends.Min && !run.Clears.MayHave(_before, _tag);
        Unless(isThere || !mustBe, at, $"number {_number} is missing");
        Unless(!isThere || !expected.MustNotBe, at, $"number {_number} is there, stored {_isThere}, ends at {_ends}, now {expected.Now}");
    }

    private void Unless(bool holds, string at, string what) => run.Unless(holds, at, $"key {key}: {what}");

    private readonly record struct Expected(long Now, bool MustNotBe);
}
