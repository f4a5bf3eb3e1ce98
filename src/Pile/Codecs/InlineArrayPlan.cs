// Inline arrays of elements that hold references or F#'s unions: element by element. The others are BlittablePlan's.
// Elements of an older version are mapped; another length is not.
using System.Collections.Generic;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Plan of an inline array.</summary>
internal sealed class InlineArrayPlan<TArray, TElement> : ValuePlan<TArray>
    where TArray : struct
{
    private readonly Formatter<TElement> _formatter;
    private readonly PlanMember[] _members;
    private readonly int _length;

    /// <summary>Today's plan.</summary>
    public InlineArrayPlan(int length)
        : this(length, Formatters.Of<TElement>())
    {
    }

    private InlineArrayPlan(int length, Formatter<TElement> formatter)
        : base(PlanKind.Array)
    {
        _length = length;
        _formatter = formatter;
        _members = [new("", "item", _formatter)];
    }

    internal override IReadOnlyList<PlanMember> Members => _members;

    internal override int LeastBytes => _length * _formatter.LeastBytes;

    internal override Plan MapFrom(TypeVersion version) => version.Schema.Kind == Kind
        ? new InlineArrayPlan<TArray, TElement>(_length, MappedFormatter.Of<TElement>(version, 0))
        : base.MapFrom(version);

    internal override int CountOf(ref TArray value) => _length;

    internal override void WriteValue(GraphWriter writer, ref TArray value, int count)
    {
        foreach (TElement element in RawValue.Elements<TArray, TElement>(ref value, _length))
        {
            _formatter.Write(writer, element);
        }
    }

    internal override void ReadValue(ref GraphReader reader, ref TArray value, int count)
    {
        if (count != _length)
        {
            throw new PileTypeMismatchException($"{TypeName.Display(typeof(TArray))} was stored with {count} elements and has {_length} today. Describe and ToJson read it.");
        }

        for (int index = 0; index < _length; index++)
        {
            RawValue.Elements<TArray, TElement>(ref value, _length)[index] = _formatter.Read(ref reader);
        }
    }
}
