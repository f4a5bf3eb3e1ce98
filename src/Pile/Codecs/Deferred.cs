// An object whose body stands at the end of the payload: announced by a FWD, handed out hollow, filled from the tail.
// A body that was gone over (its place is no more) may still be wanted by a reference later.
namespace Pile.Codecs;

/// <summary>A body to come. Its reader's context uses it again for the next graph.</summary>
internal sealed class Deferred
{
    /// <summary>The version of the type that wrote it.</summary>
    internal TypeVersion Version { get; private set; } = null!;

    /// <summary>Where its FWD stands.</summary>
    internal int Offset { get; private set; }

    /// <summary>The instance handed out, or null while nobody wants it.</summary>
    internal object? Hollow { get; private set; }

    /// <summary>The plan that made the instance, and alone may fill it: a type of the same name in another load context may have the version by then.</summary>
    internal Plan? Plan { get; private set; }

    /// <summary>Where the body begins, 0 while it is not reached.</summary>
    internal int Body { get; set; }

    /// <summary>Whether the body is an object that stands elsewhere, with its type before its content: one that was gone over and is wanted late.</summary>
    internal bool HasTag { get; init; }

    /// <summary>Begins, as what was announced at an offset.</summary>
    internal void Begin(TypeVersion version, int offset) => (Version, Offset) = (version, offset);

    /// <summary>Hands an instance out.</summary>
    internal void HandOut(Plan plan, object hollow) => (Plan, Hollow) = (plan, hollow);

    /// <summary>Ends, and holds nothing any more.</summary>
    internal void End()
    {
        (Version, Offset, Hollow, Plan, Body) = (null!, 0, null, null, 0);
    }
}
