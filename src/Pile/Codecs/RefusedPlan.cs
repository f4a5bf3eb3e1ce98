// Types whose objects can't be kept: an object of one refuses the graph that holds it.
// A place of such a type is RefusedFormatter's, and may be empty.
namespace Pile.Codecs;

/// <summary>Plan that refuses.</summary>
internal sealed class RefusedPlan(System.Type type) : Plan(type, PlanKind.Refused)
{
    internal override bool CanDefer => false;

    internal override Plan MapFrom(TypeVersion version) => UnionCases.AreUnseen(Type) ? throw UnionCases.Unseen(Type) : UnionCases.IsUnion(Type) ? throw UnionCases.Gone(Type, "one of other cases") : base.MapFrom(version);

    internal override int Count(object value) => throw Refuse.AType(Type, value);

    internal override void WriteContent(GraphWriter writer, object value, int count) => throw Refuse.AType(Type, value);

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset) =>
        throw GraphReader.WrongType(offset, Type);
}
