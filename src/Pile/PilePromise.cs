// What a pile promises about what it was told to keep. Chosen when the pile is created, and kept with its files.
// docs/DURABILITY.md says what each means on which file systems.
namespace Pile;

/// <summary>Durability of a pile. The numbers are part of the format.</summary>
public enum PilePromise
{
    /// <summary>Nothing outlives the process: <see cref="ObjectPile.Create"/>.</summary>
    Memory = 0,

    /// <summary>What a call has done survives the end of the process, however it ends. After a power cut the pile opens only when
    /// the loss is accepted explicitly: it may then be older, and hold what was deleted.</summary>
    ProcessSafe = 1,

    /// <summary>As <see cref="ProcessSafe"/>, and after a power cut everything up to the last flush is there, the rest whole or
    /// not at all. A flush runs every second unless <see cref="PileOptions.FlushInterval"/> says otherwise, and whenever
    /// <see cref="ObjectPileDurability.Commit"/> asks for one.</summary>
    PowerSafe = 2,
}
