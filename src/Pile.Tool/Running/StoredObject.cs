// What is known of an object before it is looked into: its lane, the stored name of its type, its bytes; or that it is not there.
// Nothing is thrown for what is deleted or damaged: a list goes on behind it.
namespace Pile.Tool.Running;

/// <summary>An object at a glance.</summary>
/// <param name="Lane">Its lane, or <c>deleted</c>, <c>damaged</c>, <c>null</c>.</param>
/// <param name="Type">The stored name of its type; empty where only bytes are known.</param>
/// <param name="Bytes">Its bytes; null where there are none.</param>
internal sealed record StoredObject(string Lane, string Type, long? Bytes)
{
    /// <summary>Looks at an object.</summary>
    internal static StoredObject Of(ObjectPile pile, PilePointer pointer)
    {
        if (pointer.IsNull)
        {
            return new StoredObject("null", "", null);
        }

        if (!pile.TryLease(pointer, out PileLease lease, out PileStatus status))
        {
            return new StoredObject(status switch { PileStatus.Stale => "deleted", PileStatus.Corrupted => "damaged", PileStatus.WrongPile => "another pile's", _ => status.ToString() }, "", null);
        }

        string lane = lease.Kind.ToString();
        int bytes = lease.Length;
        lease.Dispose();
        return TryTypeName(pile, pointer, out string type) ? new StoredObject(lane, type, bytes) : new StoredObject("damaged", "", null);
    }

    /// <summary>The stored name of an object's type; false when it is damaged or gone.</summary>
    internal static bool TryTypeName(ObjectPile pile, PilePointer pointer, out string type)
    {
        try
        {
            type = pile.TypeNameOf(pointer);
            return true;
        }
        catch (PileException)
        {
            type = "";
            return false;
        }
    }
}
