// Where removals by tag are kept so that they last as long as the entries that they are about.
// The seam between TagStamps and the files; in memory there is none.
namespace Pile.Cache.Tags;

/// <summary>Keeps removals. All but Begin and NoteCleared are called with the lock of <see cref="TagStamps"/>.</summary>
internal interface ITagKeeper
{
    /// <summary>Makes ready, before the first entry with tags or the first removal. Cheap when it was done. Called without any lock.</summary>
    /// <exception cref="PileFullException">There is no room for it. So of the others that keep something: then it was not kept.</exception>
    void Begin();

    /// <summary>Notes that the pile was cleared, and all that was kept with it: it is made ready anew by the next <see cref="Begin"/>. Takes no
    /// lock.</summary>
    void NoteCleared();

    /// <summary>Keeps a removal; when it returns, an open finds it, or takes all entries with tags of before for removed.</summary>
    /// <param name="table">Its table.</param>
    /// <param name="tag">The tag.</param>
    /// <param name="stamp">Its stamp.</param>
    /// <param name="hasFreed">Whether it has freed more than it takes: then the room of deletions is its too.</param>
    void Keep(int table, ulong tag, long stamp, bool hasFreed);

    /// <summary>Keeps the stamp below which all entries with tags are gone.</summary>
    void KeepFloor(long floor);

    /// <summary>Forgets a removal that is of no more use.</summary>
    void Forget(int table, ulong tag);
}
