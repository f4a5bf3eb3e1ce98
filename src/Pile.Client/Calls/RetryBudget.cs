// How many calls may be tried again: a stock that tries use up and calls that succeed fill, so that a server in need is not asked more the
// worse it fares. Idea: retry throttling of gRPC (proposal A6); deviation: a stock of tries, not of tokens.
using System.Threading;

namespace Pile.Client.Calls;

/// <summary>The stock of tries of one client. Thread-safe.</summary>
internal sealed class RetryBudget
{
    // In parts of a try: SuccessesPerRetry parts are one. Races may lose a part, which only makes the stock a little smaller.
    private int _parts = ClientLimits.RetryBudget * ClientLimits.SuccessesPerRetry;

    /// <summary>Says that a call succeeded.</summary>
    internal void Succeeded()
    {
        if (Volatile.Read(ref _parts) < ClientLimits.RetryBudget * ClientLimits.SuccessesPerRetry)
        {
            _ = Interlocked.Increment(ref _parts);
        }
    }

    /// <summary>Takes a try.</summary>
    /// <returns>False when there is none left.</returns>
    internal bool TryTake()
    {
        if (Interlocked.Add(ref _parts, -ClientLimits.SuccessesPerRetry) >= 0)
        {
            return true;
        }

        _ = Interlocked.Add(ref _parts, ClientLimits.SuccessesPerRetry);
        return false;
    }
}
