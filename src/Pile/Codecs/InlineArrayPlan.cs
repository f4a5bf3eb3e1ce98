// Inline arrays of elements that hold references: element by element. The others are BlittablePlan's.
// A change of its length is another version of the type, which no plan maps.
using System.Collections.Generic;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Plan of an inline array.</summary>
internal sealed class InlineArrayPlan<TArray, TElement> : ValuePlan<TArray>
    where TArray : struct
{
    private readonly Formatter<TElement> _formatter = Formatters.Of<TElement>();
    private readonly PlanMember[] _members;
    private readonly int _length;

    public InlineArrayPlan(int length)
        : base(PlanKind.Array)
    {
        _length = length;
        _members = [new("", "item", _formatter)];
    }

    internal override IReadOnlyList<PlanMember> Members => _members;

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
        reader.Expect(count, _length);
        for (int index = 0; index < _length; index++)
        {
            RawValue.Elements<TArray, TElement>(ref value, _length)[index] = _formatter.Read(ref reader);
        }
    }
}
