// Ends the reading of a graph: fills what waits (Pending), each after everything that its keys and comparers refer to, then makes
// the callbacks. What a key refers to is found in the bytes: the values inside it, the targets of its references, the bodies of
// its FWDs (FillOrder). At last frozen collections are asked whether they find their keys. Only graphs that have something of this come here.
using System;

namespace Pile.Codecs;

/// <summary>Fills and notifies.</summary>
internal static class Completion
{
    /// <summary>Fills everything that waits and makes all callbacks.</summary>
    internal static void Run(ref GraphReader reader)
    {
        GraphContext context = reader.Context;
        if (context.Pending.Count > 0)
        {
            // What was filled before anything that was gone over was read knows nothing of that.
            FillOrder order = (context.Wanted is null ? context.Between : null) ?? new FillOrder();
            foreach (Pending pending in order.BeginAll(context))
            {
                order.Fill(ref reader, pending);
            }
        }

        foreach (Called called in context.Callbacks)
        {
            if (!called.IsDone)
            {
                called.Plan.Completed(called.Value);
            }
        }

        foreach (Called called in context.Callbacks)
        {
            if (!called.IsDone)
            {
                called.Plan.Notify(called.Value);
            }
        }

        foreach (Action check in context.Checks ?? [])
        {
            check();
        }
    }

    /// <summary>Fills what the values between two offsets depend on, while the graph is still being read.</summary>
    internal static void RunBetween(ref GraphReader reader, int start, int end)
    {
        GraphContext context = reader.Context;
        if (context.Pending.Count + context.Callbacks.Count == 0)
        {
            return;
        }

        // One for all of them: their values may refer to one large object.
        FillOrder order = context.Between ??= new FillOrder();
        order.Begin(context, start, end);
        order.FillBetween(ref reader);
    }
}
