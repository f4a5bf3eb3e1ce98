// One read of the server for all who ask for the same key meanwhile. It counts only while its table has it: a change of the key takes it out,
// and what it brings then is neither kept nor given to anybody.
using System.Threading.Tasks;

namespace Pile.Client.Near;

/// <summary>A read under way.</summary>
internal sealed class NearFlight(PileKey key, long began) : TaskCompletionSource<NearAnswer>(TaskCreationOptions.RunContinuationsAsynchronously)
{
    /// <summary>The key, of bytes that nobody changes.</summary>
    internal PileKey Key => key;

    /// <summary>A time stamp of before the call.</summary>
    internal long Began => began;
}
