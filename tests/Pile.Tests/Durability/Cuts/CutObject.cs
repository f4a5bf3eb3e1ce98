using System.Collections.Generic;

namespace Pile.Tests.Durability.Cuts;

/// <summary>An object of a run: what it was when the last commit completed, and all that it was since, oldest first.</summary>
internal sealed class CutObject(long key, PilePointer pointer, params List<CutState> states)
{
    internal long Key => key;

    internal PilePointer Pointer => pointer;

    internal List<CutState> States => states;

    /// <summary>What it is now.</summary>
    internal CutState Now => states[^1];

    internal bool IsThere => Now.Version != 0;

    /// <summary>The place of a version among the states; -1 for none, or when it is not the only one.</summary>
    internal int PlaceOf(int version)
    {
        int place = states.FindIndex(state => state.Version == version);
        return place >= 0 && states.FindIndex(place + 1, state => state.Version == version) < 0 ? place : -1;
    }

    internal bool MayBe(int version) => states.Exists(state => state.Version == version);
}
