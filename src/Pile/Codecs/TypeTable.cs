// The types of one pile: numbers given out and never used again, versions by number, and the set of types that the program
// has shown to it. A number is published to writers only after its schema is kept, with those of all types that may stand in
// it without tag; until then each Put that uses it keeps the missing ones first. A number that two schemas have is neither's: nothing says
// which of the two an object is of.
// Readers take no lock: arrays are replaced, never changed.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Numbers and versions of types. Thread-safe.</summary>
internal sealed class TypeTable(ISchemaStore store, PlanMode mode)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<Plan, TypeVersion> _byPlan = [];
    private readonly List<TypeVersion> _unkept = [];
    private readonly SchemaParts _parts = new();
    private readonly Dictionary<int, string> _disputed = [];
    private TypeVersion?[] _versions = new TypeVersion?[16];
    private int[] _numbers = [];
    private int _lastNumber;
    private int _partsKept;
    private volatile bool _hasUnkept;

    /// <summary>Which plans to use.</summary>
    internal PlanMode Mode { get; } = mode;

    /// <summary>The context for reading values that are flat (<see cref="PlanAnalysis.IsFlat"/>): all readers share it, none changes it.</summary>
    internal GraphContext FlatContext => field ??= GraphContext.ForFlat(this); // Two threads may make one each: they are alike.

    /// <summary>The types shown to the pile.</summary>
    internal KnownTypes Known { get; } = new();

    /// <summary>Numbers by plan index, of types whose schemas are kept; 0 for others.</summary>
    internal int[] Numbers => Volatile.Read(ref _numbers);

    /// <summary>Whether numbers were given out whose schemas are not kept yet.</summary>
    internal bool HasUnkept => _hasUnkept;

    /// <summary>The version of a number.</summary>
    internal TypeVersion Version(int number)
    {
        TypeVersion? version = Find(number);
        if (version is null)
        {
            Throw.CorruptedValue(_disputed.GetValueOrDefault(number) ?? FormattableString.Invariant($"type {number}, of which no schema is stored"), 0);
        }

        return version;
    }

    /// <summary>The version of a number; null for one that has none, or two.</summary>
    internal TypeVersion? Find(int number)
    {
        TypeVersion?[] versions = Volatile.Read(ref _versions);
        return (uint)number < (uint)versions.Length ? versions[number] : null;
    }

    /// <summary>What is to be said of the numbers that two schemas have. Once all are loaded.</summary>
    internal IEnumerable<string> Disputed() => _disputed.Values;

    /// <summary>Numbers from here on were never issued.</summary>
    internal uint NumberBound
    {
        get
        {
            lock (_gate)
            {
                return (uint)_lastNumber + 1;
            }
        }
    }

    /// <summary>Issues no number below a bound, nor of a schema that was loaded. Once all are.</summary>
    /// <param name="bound">What <see cref="NumberBound"/> had come to; 0 where nobody knows.</param>
    internal void GoOnBehind(uint bound)
    {
        lock (_gate)
        {
            _lastNumber = (int)uint.Min(CodecLimits.TypeVersionsMax, bound > 0 ? uint.Max((uint)_lastNumber, bound - 1) : (uint)_lastNumber + CodecLimits.TypeNumbersLostMax);
        }
    }

    /// <summary>Has the store note how far numbers are issued, where no schema is kept.</summary>
    internal PileStatus NoteNumbers()
    {
        lock (_gate)
        {
            return store.Issue(_lastNumber);
        }
    }

    /// <summary>All versions, by number.</summary>
    internal IEnumerable<TypeVersion> Versions()
    {
        foreach (TypeVersion? version in Volatile.Read(ref _versions))
        {
            if (version is not null)
            {
                yield return version;
            }
        }
    }

    /// <summary>The type of a stored name; of a <see cref="Type"/> that was stored it may be an open one.</summary>
    internal Type Resolve(string name) => Known.Find(name) ?? throw Unknown(name);

    /// <summary>The type of a stored name that objects have.</summary>
    internal Type ResolveClosed(string name)
    {
        Type type = Resolve(name);
        return !type.ContainsGenericParameters ? type
            : throw new PileCorruptedException($"A stored schema is damaged: it is of {name}, of which no object can be.");
    }

    /// <summary>The number of a plan whose schema is kept; false when there is none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryNumber(Plan plan, out int number)
    {
        int[] numbers = Numbers;
        number = (uint)plan.Index < (uint)numbers.Length ? numbers[plan.Index] : 0;
        return number != 0;
    }

    /// <summary>The number under which a plan's objects are written; given out now if there is none.</summary>
    /// <param name="plan">The plan.</param>
    /// <param name="value">The object that is written, for the message where its type is refused; null where it is not at hand.</param>
    internal int NumberOf(Plan plan, object? value = null)
    {
        lock (_gate)
        {
            return _byPlan.TryGetValue(plan, out TypeVersion? known) ? known.Schema.Number : AddLocked(plan, value);
        }
    }

    /// <summary>Whether objects of a plan are written under the number of a stored version. Gives no number out.</summary>
    internal bool Writes(TypeVersion version, Plan plan)
    {
        lock (_gate)
        {
            return (_byPlan.GetValueOrDefault(plan) ?? Stored(plan).FirstOrDefault()) == version;
        }
    }

    /// <summary>Keeps the schemas of all numbers given out so far.</summary>
    internal PileStatus KeepSchemas()
    {
        lock (_gate)
        {
            PileStatus status = store.Issue(_lastNumber);
            var writer = new WireWriter();
            while (_unkept.Count > 0)
            {
                TypeVersion version = _unkept[0];
                writer.Truncate(0);
                version.Schema.Write(writer);
                status = status == PileStatus.Ok ? SchemaParts.Keep(store, version.Schema.Number, writer.Written, ref _partsKept) : status;
                if (status != PileStatus.Ok)
                {
                    return status;
                }

                _unkept.RemoveAt(0);
                _partsKept = 0;
                if (version.Current is { } plan && _byPlan.GetValueOrDefault(plan) == version)
                {
                    PublishLocked(plan, version);
                }
            }

            _hasUnkept = false;
            return PileStatus.Ok;
        }
    }

    /// <summary>Takes a schema record that was kept before: of a pile opened again.</summary>
    internal void Load(ReadOnlySpan<byte> record)
    {
        lock (_gate)
        {
            byte[]? whole = _parts.Join(record, out int number);
            _lastNumber = int.Max(_lastNumber, number);
            if (whole is null)
            {
                return;
            }

            var schema = Schema.Read(whole);
            if (Find(schema.Number) is { } other)
            {
                DisputeLocked(other, schema);
            }
            else if (!_disputed.ContainsKey(schema.Number))
            {
                AddLocked(new TypeVersion(this, schema));
            }
        }
    }

    /// <summary>Takes a number from the two schemas that have it. Two alike are one: a type that was put again after its schema had been lost for a while,
    /// or a union that had got further cases.</summary>
    private void DisputeLocked(TypeVersion version, Schema other)
    {
        Schema schema = version.Schema;
        version.Schema = schema.WithCasesOf(other);
        var writer = new WireWriter();
        version.Schema.Write(writer);
        byte[] bytes = writer.Written.ToArray();
        writer.Truncate(0);
        other.WithCasesOf(schema).Write(writer);
        if (!writer.Written.SequenceEqual(bytes))
        {
            _disputed.Add(schema.Number, FormattableString.Invariant($"type {schema.Number}, of which two schemas are stored ({schema.TypeName}, {other.TypeName})"));
            _versions[schema.Number] = null;
        }
    }

    private int AddLocked(Plan plan, object? value)
    {
        // All or none: a type that the closed set does not have, or whose schema could not be read, leaves no number behind.
        List<Plan> closure = [.. PlanAnalysis.ClosureOf(plan)];
        foreach (Plan nested in closure)
        {
            Refuse.LongNames(nested, value);
            Known.Admit(nested.Type);
        }

        // A version that is stored is taken also of a type that stands in another one, which may be new: keys are found by their bytes, with the number in them.
        // Those within come first: what is bound is not compared again.
        List<Plan> unbound = [.. closure.Where(nested => !_byPlan.ContainsKey(nested)).Reverse()];
        unbound.ForEach(AdoptLocked);
        foreach (Plan nested in unbound)
        {
            if (_byPlan.TryGetValue(nested, out TypeVersion? adopted) && !_unkept.Contains(adopted))
            {
                PublishLocked(nested, adopted);
            }
        }

        if (_byPlan.TryGetValue(plan, out TypeVersion? taken))
        {
            return taken.Schema.Number;
        }

        List<Plan> added = [];
        Dictionary<Plan, int> numbers = [];
        foreach (Plan nested in closure)
        {
            if (!_byPlan.ContainsKey(nested))
            {
                numbers.Add(nested, checked(++_lastNumber));
                added.Add(nested);
            }
        }

        // Nested first: a number is never kept before those that its schema names, except where types name each other.
        for (int index = added.Count - 1; index >= 0; index--)
        {
            Plan nested = added[index];
            var version = new TypeVersion(this, Schema.Of(
                numbers[nested], nested, at => numbers.TryGetValue(at, out int number) ? number : _byPlan[at].Schema.Number));
            version.Bind(nested);
            AddLocked(version);
            _byPlan.Add(nested, version);
            _unkept.Add(version);
        }

        _hasUnkept = true;
        return numbers[plan];
    }

    private void AddLocked(TypeVersion version)
    {
        int number = version.Schema.Number;
        if (number > CodecLimits.TypeVersionsMax)
        {
            Throw.CorruptedValueOf($"a schema of number {number:N0}", 0);
        }

        TypeVersion?[] versions = _versions;
        if (number >= versions.Length)
        {
            Array.Resize(ref versions, int.Max(number + 1, versions.Length * 2));
        }

        Volatile.Write(ref versions[number], version);
        Volatile.Write(ref _versions, versions);
        _lastNumber = int.Max(_lastNumber, number);
    }

    /// <summary>The stored versions that a plan writes today, by number. There are several of a union whose cases came, went and came again.</summary>
    private IEnumerable<TypeVersion> Stored(Plan plan)
    {
        string name = TypeName.Of(plan.Type);
        foreach (TypeVersion version in Versions())
        {
            if (version.Schema.TypeName == name && VersionMatch.IsSame(version, plan))
            {
                yield return version;
            }
        }
    }

    /// <summary>Has a plan's objects written under the first of its stored versions, whatever the others that name one of these say: keys are found by it.
    /// Of a union to which cases were added behind the others all of them are to be kept once more, under their numbers, before any number is published, be it that of a type
    /// around it: what is stored of another type goes on by the one that it names.</summary>
    private void AdoptLocked(Plan plan)
    {
        foreach (TypeVersion stored in Stored(plan))
        {
            if (stored.Schema.HasFewerCasesThan(plan))
            {
                stored.Schema = stored.Schema.WithCasesOf(plan);
                _unkept.Add(stored);
                _hasUnkept = true;
            }

            stored.Bind(plan);
            _ = _byPlan.TryAdd(plan, stored);
        }
    }

    private void PublishLocked(Plan plan, TypeVersion version)
    {
        int[] numbers = _numbers;
        int[] larger = new int[int.Max(plan.Index + 1, numbers.Length)];
        numbers.CopyTo(larger, 0);
        larger[plan.Index] = version.Schema.Number;
        Volatile.Write(ref _numbers, larger);
    }

    private PileUnknownTypeException Unknown(string name) => new(
        $"A stored object is of type {name}, which this program has not shown to the pile. {Known.WayOut(name)} The bytes stay readable without it: pile.Describe(pointer), pile.ToJson(pointer).",
        name)
    {
        Asked = Known,
    };
}
