// Collections kept as comparers and items, not as the tables behind them: those hold hash codes of this process, and room
// that nobody uses. Fields that a derived class adds come first. What compares its items is built last (Pending), unless
// the items are single values and the comparer is the framework's.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Plan of a collection.</summary>
internal class CollectionPlan<TCollection, TItem> : Plan
    where TCollection : class
{
    [ThreadStatic]
    private static TItem[]? _snapshot;

    private readonly Collection<TCollection, TItem> _ways;
    private readonly ObjectFields? _fields;
    private readonly Callbacks? _callbacks;
    private readonly List<PlanMember> _members = [];
    private readonly int _fixed;

    /// <param name="type">The type, TCollection or derived from it.</param>
    /// <param name="ways">The ways of TCollection.</param>
    /// <param name="form">The form of an item.</param>
    /// <param name="mapped">The fields of an older version, instead of today's.</param>
    internal CollectionPlan(Type type, Collection<TCollection, TItem> ways, ItemForm<TItem> form, ObjectFields? mapped = null)
        : base(type, form.Width == 1 ? PlanKind.Sequence : PlanKind.Map)
    {
        _ways = ways;
        Form = form;
        if (type != typeof(TCollection))
        {
            _fields = mapped ?? ObjectFields.Of(type, typeof(TCollection));
            _callbacks = Callbacks.Of(type, typeof(TCollection));
            _members.AddRange(_fields.Members);
        }

        for (int comparer = 0; comparer < ways.Comparers.Length; comparer++)
        {
            _members.Add(new PlanMember("", $"comparer{(comparer == 0 ? "" : "2")}", Formatters.Of<object>()));
        }

        _fixed = _members.Count;
        _members.AddRange(form.Members);
    }

    internal sealed override IReadOnlyList<PlanMember> Members => _members;

    internal sealed override int LeastBytes => _fixed;

    /// <summary>The form of an item.</summary>
    protected ItemForm<TItem> Form { get; }

    internal sealed override Plan MapFrom(TypeVersion version)
    {
        IReadOnlyList<SchemaField> fields = version.Schema.Fields;
        int own = fields.Count - _ways.Comparers.Length - Form.Width;
        if (version.Schema.Kind != Kind || own < 0 || (own > 0 && _fields is null))
        {
            return base.MapFrom(version);
        }

        // Nobody can tell what items that were kept without a comparer become with one: some may be equal. One that is not needed any more is gone over.
        if (fields.Skip(own).Any(static field => field.Declaring.Length > 0))
        {
            throw new PileTypeMismatchException($"{TypeName.Display(Type)} was stored as a collection without comparer, and {TypeName.Display(typeof(TCollection))}, its base today, has one. Describe and ToJson read it.");
        }

        MappedFields? mapped = _fields is null ? null : new MappedFields(version, Type, typeof(TCollection), [.. fields.Take(own)]);
        return new CollectionPlan<TCollection, TItem>(Type, _ways, Form.MapFrom(version, fields.Count - Form.Width), mapped);
    }

    internal sealed override bool Drops(int index) => _fields?.Drops(index) == true;

    internal override int Count(object value)
    {
        // The callback may change what is counted; WriteContent comes right after.
        _callbacks?.Serializing(value);
        TCollection collection = RawValue.As<TCollection>(value);
        if (_ways.Snapshot is not null)
        {
            _snapshot = _ways.Snapshot(collection);
        }

        return checked(_fixed + (Form.Width * (_snapshot?.Length ?? _ways.Count(collection))));
    }

    internal override void WriteContent(GraphWriter writer, object value, int count)
    {
        TCollection collection = RawValue.As<TCollection>(value);
        if (_callbacks is not null)
        {
            writer.CallWhenWritten(this, value);
        }

        if (_snapshot is { } snapshot)
        {
            // Taken first: its items may hold other collections of this type.
            _snapshot = null;
            WriteAll(writer, collection, snapshot);
        }
        else
        {
            WriteCopied(writer, collection, (count - _fixed) / Form.Width);
        }
    }

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        if (hollow is null && _ways.Make is not null && _fields is null && Form.IsSettled && Comparers.IsSettledNext(ref reader))
        {
            return ReadMade(ref reader, count, offset);
        }

        if (hollow is null)
        {
            hollow = RuntimeHelpers.GetUninitializedObject(Type);
            reader.Register(offset, hollow);
        }

        _callbacks?.Deserializing(hollow);
        _fields?.Read(ref reader, hollow);
        int comparersAt = reader.Wire.Position;
        object?[] comparers = _ways.Comparers.Length == 0 ? [] : new object?[_ways.Comparers.Length];
        for (int index = 0; index < comparers.Length; index++)
        {
            comparers[index] = reader.ReadAny();
        }

        int items = ItemsIn(ref reader, count);
        reader.Context.Charge(ReadCost.Places(items, Unsafe.SizeOf<TItem>() * 2, Form.Width) + ReadCost.Object(64, count), offset);
        var content = new TItem[items];
        int looking = _ways.IsHashed && Comparers.IsByReference(comparers) || Comparers.AreSettled(comparers) ? 0 : comparers.Length;
        int[] dependencies = !_ways.IsKeyed || (Form.IsSettled && looking == 0)
            ? ReadSettled(ref reader, content)
            : ReadKeyed(ref reader, content, Dependencies(reader.Wire, comparersAt, looking, items), looking, Comparers.IsByReference(comparers));
        if (dependencies.Length > 0)
        {
            reader.Context.Pending.Add(new Pending(this, hollow, offset, (comparers, content), dependencies, looking));
        }
        else
        {
            Fill(hollow, comparers, content);
        }

        if (_callbacks is not null)
        {
            reader.Context.Callbacks.Add(new Called(this, hollow, offset));
        }

        return hollow;
    }

    internal sealed override void Written(object value) => _callbacks!.Serialized(value);

    internal sealed override void Completed(object value) => _callbacks!.Deserialized(value);

    internal sealed override void Notify(object value) => _callbacks!.Notify(value);

    internal sealed override void Complete(Pending pending)
    {
        (object?[] comparers, TItem[] content) = ((object?[], TItem[]))pending.Content!;
        if (pending.IsForNow)
        {
            Collection.Empty(RawValue.As<TCollection>(pending.Target));
        }

        Fill(pending.Target, comparers, content);
    }

    internal sealed override bool TryCompleteForNow(Pending pending)
    {
        try
        {
            Complete(pending);
        }
        catch (Exception)
        {
            // A key can't hash or compare yet. Nobody may need this collection before the end, when it is filled again.
            Collection.Empty(RawValue.As<TCollection>(pending.Target));
        }

        return true;
    }

    protected sealed override void Hold(object instance) => _callbacks?.Hold(instance);

    /// <summary>Items that a count of elements stands for.</summary>
    protected int ItemsIn(ref GraphReader reader, int count)
    {
        int elements = count - _fixed;
        if (elements < 0 || elements % Form.Width != 0)
        {
            Throw.CorruptedValueOf($"{count:N0} elements in a {TypeName.Display(Type)}", reader.Wire.Position);
        }

        return elements / Form.Width;
    }

    /// <summary>Writes derived fields and comparers.</summary>
    protected void WriteFixed(GraphWriter writer, TCollection collection)
    {
        _fields?.Write(writer, collection);
        foreach (Func<TCollection, object?> comparer in _ways.Comparers)
        {
            writer.WriteAny(comparer(collection));
        }
    }

    /// <summary>Writes items from a copy in a pooled array.</summary>
    private void WriteCopied(GraphWriter writer, TCollection collection, int count)
    {
        TItem[] pooled = ArrayPool<TItem>.Shared.Rent(count);
        Span<TItem> items = pooled.AsSpan(0, count);
        try
        {
            if (!_ways.Copy(collection, items))
            {
                throw Refuse.Changed(Type);
            }

            WriteAll(writer, collection, items);
        }
        finally
        {
            if (RuntimeHelpers.IsReferenceOrContainsReferences<TItem>())
            {
                items.Clear();
            }

            ArrayPool<TItem>.Shared.Return(pooled);
        }
    }

    private int[] ReadSettled(ref GraphReader reader, TItem[] content)
    {
        for (int index = 0; index < content.Length; index++)
        {
            content[index] = Form.Read(ref reader);
        }

        return [];
    }

    /// <summary>Reads items, and where those begin on which filling depends, behind the comparers it depends on.</summary>
    private int[] ReadKeyed(ref GraphReader reader, TItem[] content, int[] dependencies, int looking, bool isByReference)
    {
        int count = looking;
        bool needsAll = looking > 0 || !_ways.IsHashed;
        for (int index = 0; index < content.Length; index++)
        {
            int position = PositionOfKey(reader.Wire);
            content[index] = Form.Read(ref reader);
            if (needsAll || !(isByReference || Form.IsIndependent(content[index])))
            {
                dependencies[count++] = position;
            }
        }

        return count == dependencies.Length ? dependencies : dependencies[..count];
    }

    /// <summary>Room for what filling depends on, the comparers first.</summary>
    private static int[] Dependencies(WireReader at, int comparersAt, int comparers, int items)
    {
        int[] dependencies = new int[comparers + items];
        at.Position = comparersAt;
        for (int index = 0; index < comparers; index++)
        {
            dependencies[index] = at.Position;
            at.Skip();
        }

        return dependencies;
    }

    /// <summary>Where what an item is compared by stands.</summary>
    private int PositionOfKey(WireReader at)
    {
        if (Form.IsOrderedByValue)
        {
            at.Skip();
        }

        return at.Position;
    }

    private void WriteAll(GraphWriter writer, TCollection collection, ReadOnlySpan<TItem> items)
    {
        WriteFixed(writer, collection);
        foreach (TItem item in items)
        {
            Form.Write(writer, item);
        }
    }

    /// <summary>Reads into an instance that takes each item as it is read.</summary>
    private TCollection ReadMade(ref GraphReader reader, int count, int offset)
    {
        int items = ItemsIn(ref reader, count);
        object? comparer = reader.ReadAny();
        reader.Context.Charge(ReadCost.Places(items, Unsafe.SizeOf<TItem>() + 16, Form.Width) + ReadCost.Object(128, count), offset);
        TCollection made;
        try
        {
            made = _ways.Make!(items, comparer);
        }
        catch (InvalidCastException)
        {
            throw GraphReader.WrongType(offset, typeof(StringComparer));
        }

        reader.Register(offset, made);
        for (; items > 0; items--)
        {
            if (!_ways.Add!(made, Form.Read(ref reader)))
            {
                throw new PileCorruptedException($"A stored value is damaged: an item of a {TypeName.Display(Type)} stands twice, or is nil, before byte {reader.Wire.Position}.");
            }
        }

        return made;
    }

    /// <summary>Builds the collection; a key that is missing is damage; what is no comparer was one of another base or another version; all else that is thrown is the program's own.</summary>
    private void Fill(object hollow, object?[] comparers, TItem[] content)
    {
        try
        {
            _ways.Fill(RawValue.As<TCollection>(hollow), comparers, content);
        }
        catch (Exception failure) when (KeyFailure.IsOne(failure))
        {
            throw Array.Exists(content, Form.IsDamage) ? new PileCorruptedException($"A stored value is damaged: the items of a {TypeName.Display(Type)} can't stand together: {failure.Message}")
                : AreComparers(comparers) ? KeyFailure.Of(Type, failure)
                : KeyFailure.OfComparers(Type, typeof(TCollection), comparers);
        }
    }

    /// <summary>Whether what was read for comparers is some: with them an empty collection can be built, which asks no key.</summary>
    private bool AreComparers(object?[] comparers)
    {
        try
        {
            _ways.Fill((TCollection)RuntimeHelpers.GetUninitializedObject(typeof(TCollection)), comparers, []);
            return true;
        }
        catch (Exception failure) when (failure is ArgumentException or InvalidCastException)
        {
            return false;
        }
    }
}
