using System;
using System.Collections.Generic;
using System.IO;
using Pile.HitRatio.Contestants;

namespace Pile.HitRatio.Traces;

/// <summary>What a trace asks for in all: cache sizes are parts of its bytes.</summary>
/// <param name="Requests">Requests.</param>
/// <param name="Keys">Different keys.</param>
/// <param name="Bytes">Bytes of their objects, each counted once, by its first size, with key and charge.</param>
internal readonly record struct Footprint(long Requests, long Keys, long Bytes)
{
    private const int RequestsAtOnce = 4096;

    /// <summary>Reads a trace to its end.</summary>
    /// <exception cref="InvalidDataException">There is nothing in it.</exception>
    internal static Footprint Of(ITrace trace, int chargeBytes)
    {
        HashSet<ulong> keys = [];
        long requests = 0;
        long bytes = 0;
        Request[] some = new Request[RequestsAtOnce];
        using ITraceReader reader = trace.Open();
        for (int count = reader.Read(some); count > 0; count = reader.Read(some))
        {
            requests += count;
            foreach (Request request in some.AsSpan(0, count))
            {
                if (keys.Add(request.Key))
                {
                    bytes += Budget.CostOf(request.Bytes, chargeBytes);
                }
            }
        }

        return requests > 0 ? new Footprint(requests, keys.Count, bytes) : throw new InvalidDataException($"The trace '{trace.Name}' has no request.");
    }
}
