namespace Pile.Tests.Durability.Model;

/// <summary>What stands at a place of a segment, as its header says.</summary>
internal enum RecordKind
{
    /// <summary>No header whose check holds here.</summary>
    None,
    Object,
    Tombstone,

    /// <summary>The head of a batch; its members stand behind it.</summary>
    Frame,

    /// <summary>Says that a flush completed, and how far it went.</summary>
    Marker,
}
