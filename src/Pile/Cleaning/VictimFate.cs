// What became of a victim whose records were moved out of it, for the cleaner.
// What is done with the segment then is the cleaner's to decide; the fate of one record is RecordFate.
namespace Pile.Cleaning;

/// <summary>Result of a relocation.</summary>
internal enum VictimFate
{
    /// <summary>It holds nothing live any more.</summary>
    Emptied,

    /// <summary>It must stay: there is no room for survivors, enough was forgotten, or a live record is damaged.</summary>
    Stays,

    /// <summary>It holds bytes that are no records; what stands before them was moved.</summary>
    Unreadable,
}
