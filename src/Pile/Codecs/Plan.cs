// How the objects of one exact CLR type are written and read: the content of their array, after header and tag.
// One a type and process; what differs between piles (numbers of types, old versions) is TypeTable's.
// Sources: the treatment of types is decided in Treatments; a mapped plan reads an older version of a type.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Pile.Codecs;

/// <summary>A plan. Thread-safe.</summary>
internal abstract class Plan(Type type, PlanKind kind, bool isPlain = false)
{
    private static int _lastIndex;
    private PlanAnalysis? _analysis;
    private int _hollowCost;

    /// <summary>The number of the plan in this process; never used again.</summary>
    internal int Index { get; } = Interlocked.Increment(ref _lastIndex);

    /// <summary>The CLR type.</summary>
    internal Type Type { get; } = type;

    /// <summary>The form of the content.</summary>
    internal PlanKind Kind { get; } = kind;

    /// <summary>The named places of the content, in order.</summary>
    internal virtual IReadOnlyList<PlanMember> Members => [];

    /// <summary>Whether an instance can be handed out before its content is read.</summary>
    internal virtual bool CanDefer => true;

    /// <summary>Whether reading passes over an element of the content, the tag not counted: an older version's that today's type has no place for.</summary>
    internal virtual bool Drops(int index) => false;

    /// <summary>Bytes that content takes at least: one for each place, or all that stands in it.</summary>
    internal virtual int LeastBytes
    {
        get
        {
            int bytes = 0;
            foreach (PlanMember member in Members)
            {
                bytes += member.Formatter.LeastBytes;
            }

            return bytes;
        }
    }

    /// <summary>The cost of an instance without content.</summary>
    private long HollowCost => _hollowCost > 0 ? _hollowCost : _hollowCost = (int)ReadCost.Object(TypeFields.InstanceBytes(Type), LeastBytes);

    /// <summary>Whether objects are called before or after they are written or read.</summary>
    internal virtual bool HasCallbacks => false;

    /// <summary>Whether values may tell their type without a tag; then <see cref="WritePlain"/> writes them.</summary>
    internal bool IsPlain { get; } = isPlain;

    /// <summary>What is known about everything that a value of this type can reach without a tag.</summary>
    internal PlanAnalysis Analysis => _analysis ?? Interlocked.CompareExchange(ref _analysis, PlanAnalysis.Of(this), null) ?? _analysis;

    /// <summary>Elements of the content of a value.</summary>
    internal abstract int Count(object value);

    /// <summary>Writes exactly <paramref name="count"/> elements.</summary>
    internal abstract void WriteContent(GraphWriter writer, object value, int count);

    /// <summary>Reads an object's content.</summary>
    /// <param name="reader">Stands at the first element.</param>
    /// <param name="count">Elements that the header announced.</param>
    /// <param name="hollow">The instance handed out before, or null: then the plan makes one, and registers it under
    /// <paramref name="offset"/> before it reads anything that may refer to it.</param>
    /// <param name="offset">Where the object begins.</param>
    internal abstract object ReadContent(ref GraphReader reader, int count, object? hollow, int offset);

    /// <summary>Writes a value in the form that tells its type, or else as an object. Only for plain plans.</summary>
    /// <param name="writer">The writer.</param>
    /// <param name="value">The value.</param>
    /// <param name="isExact">Whether the reader knows the type from the place.</param>
    internal virtual void WritePlain(GraphWriter writer, object value, bool isExact) => throw new InvalidOperationException($"{Type} has a tag.");

    /// <summary>Writes what <see cref="CreateHollow"/> needs to know.</summary>
    internal virtual void WriteLengths(GraphWriter writer, object value)
    {
    }

    /// <summary>Makes an instance without content, from what <see cref="WriteLengths"/> wrote.</summary>
    internal virtual object CreateHollow(ref GraphReader reader)
    {
        reader.Context.Charge(HollowCost, reader.Wire.Position);
        return MakeInstance();
    }

    /// <summary>Makes an instance that is not filled yet.</summary>
    protected object MakeInstance()
    {
        object instance = RuntimeHelpers.GetUninitializedObject(Type);
        Hold(instance);
        return instance;
    }

    /// <summary>Keeps an instance from being finalized before it is filled.</summary>
    protected virtual void Hold(object instance)
    {
    }

    /// <summary>Fills an instance whose content was read before, when all that it depends on is complete.</summary>
    internal virtual void Complete(Pending pending)
    {
    }

    /// <summary>Fills an instance in such a way that it can be filled once more.</summary>
    /// <returns>False when that can't be: then nothing was done.</returns>
    internal virtual bool TryCompleteForNow(Pending pending) => false;

    /// <summary>A plan that reads an older version of the type.</summary>
    /// <exception cref="PileTypeMismatchException">There is no way from that version to today's type.</exception>
    internal virtual Plan MapFrom(TypeVersion version) => throw new PileTypeMismatchException(
        $"{TypeName.Display(Type)} was stored as another kind of object ({version.Schema.Kind}), which can't become today's ({Kind}). Describe and ToJson read it.");

    /// <summary>Called when the graph of an object is written, for those that asked with GraphWriter.CallWhenWritten.</summary>
    internal virtual void Written(object value)
    {
    }

    /// <summary>Called by Completion when the graph of an object is complete, for those in GraphContext.Callbacks.</summary>
    internal virtual void Completed(object value)
    {
    }

    /// <summary>Called after all of those: the whole graph is there, and told so.</summary>
    internal virtual void Notify(object value)
    {
    }

    public override string ToString() => $"{GetType().Name} of {Type}";
}

/// <summary>A plan whose values can be read without knowing the place they go to.</summary>
internal abstract class Plan<T>(PlanKind kind, bool isPlain = false) : Plan(typeof(T), kind, isPlain)
{
    /// <summary>Writes a graph whose root is a value.</summary>
    internal virtual void WriteRoot(GraphWriter writer, T value) => writer.WriteRoot(value!);

    /// <summary>Writes a graph whose root is a flat value (<see cref="PlanAnalysis.IsFlat"/>).</summary>
    internal virtual void WriteFlat(GraphWriter writer, int number, ref T value) => throw new InvalidOperationException($"{Type} is not flat.");

    /// <summary>Reads a value of <paramref name="count"/> elements that nothing refers to.</summary>
    internal abstract T ReadValue(ref GraphReader reader, int count);
}
