// Work for all callers runs in the context of none: what one of them keeps in his own, an activity or a culture, is not theirs.
// A context that does not flow already is left so.
using System;
using System.Threading;

namespace Pile.Client.Calls;

/// <summary>Begins work.</summary>
internal static class NoContext
{
    /// <summary>Begins it in the context of nobody.</summary>
    internal static void Begin(Action work)
    {
        if (ExecutionContext.IsFlowSuppressed())
        {
            work();
            return;
        }

        using (ExecutionContext.SuppressFlow())
        {
            work();
        }
    }
}
