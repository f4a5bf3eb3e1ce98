// Boxed enums in programs that are compiled whole ahead of time, where no code can be made for each: by way of a box of the integer. The bytes are
// LeafPlan's, which all other programs have for them.
using System;
using System.Collections.Generic;
using System.Globalization;

namespace Pile.Codecs;

/// <summary>Plan of an enum, without code of its own for it.</summary>
internal sealed class EnumPlan : Plan
{
    private readonly Formatter _integer;
    private readonly PlanMember[] _members;

    internal EnumPlan(Type type)
        : base(type, PlanKind.Value)
    {
        _integer = LeafFormatter.All[Enum.GetUnderlyingType(type)];
        _members = [new("", "value", _integer)];
    }

    internal override IReadOnlyList<PlanMember> Members => _members;

    internal override bool CanDefer => false;

    internal override int Count(object value) => 1;

    internal override void WriteContent(GraphWriter writer, object value, int count) =>
        _integer.WriteObject(writer, Convert.ChangeType(value, _integer.Type, CultureInfo.InvariantCulture));

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        reader.Expect(count, 1);
        object value = Enum.ToObject(Type, _integer.ReadObject(ref reader)!);
        reader.Register(offset, value);
        return value;
    }
}
