// An object whose body stands at the end of the payload: announced by a FWD, handed out hollow, filled from the tail.
// A body that was gone over (its place is no more) may still be wanted by a reference later.
namespace Pile.Codecs;

/// <summary>A body to come.</summary>
/// <param name="version">The version of the type that wrote it.</param>
/// <param name="offset">Where its FWD stands.</param>
internal sealed class Deferred(TypeVersion version, int offset)
{
    /// <summary>The version of the type that wrote it.</summary>
    internal TypeVersion Version { get; } = version;

    /// <summary>Where its FWD stands.</summary>
    internal int Offset { get; } = offset;

    /// <summary>The instance handed out, or null while nobody wants it.</summary>
    internal object? Hollow { get; set; }

    /// <summary>Where the body begins, 0 while it is not reached.</summary>
    internal int Body { get; set; }
}
