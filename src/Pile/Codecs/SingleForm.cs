// Items that are one element each: of lists, sets, queues.
// The members it names are what schemas say a collection repeats.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>Items of one element.</summary>
internal sealed class SingleForm<T> : ItemForm<T>
{
    private readonly Formatter<T> _formatter;
    private readonly PlanMember[] _members;

    internal SingleForm(Formatter<T>? formatter = null)
    {
        _formatter = formatter ?? Formatters.Of<T>();
        _members = [new("", "item", _formatter)];
    }

    internal override int Width => 1;

    internal override IReadOnlyList<PlanMember> Members => _members;

    internal override bool IsSettled => _formatter.IsSettled;

    internal override bool IsIndependent(T item) => !typeof(T).IsValueType && IndependentKeys.Contain(item);

    internal override ItemForm<T> MapFrom(TypeVersion version, int field) => new SingleForm<T>(MappedFormatter.Of<T>(version, field));

    internal override void Write(GraphWriter writer, T item) => _formatter.Write(writer, item);

    internal override T Read(ref GraphReader reader) => _formatter.Read(ref reader);
}
