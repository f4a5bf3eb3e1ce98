// A named fixed part of an object that is kept by something else than its fields.
// Schemas name it; it is no access path.
namespace Pile.Codecs;

/// <summary>Makes members for parts.</summary>
internal static class Part
{
    internal static PlanMember Of<T>(string name) => new("", name, Formatters.Of<T>());
}
