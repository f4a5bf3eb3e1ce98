using System;

namespace Pile.HitRatio.Traces;

/// <summary>A trace made while it is read, from a seed. Keys are mixed, so that the ones of popular objects have nothing in common.</summary>
internal sealed class GeneratedTrace(string name, string definition, long requests, Func<IKeySource> keys, Func<ulong, int> sizeOf) : ITrace
{
    public string Name => name;

    public string Definition => definition;

    public ITraceReader Open() => new Reader(requests, keys(), sizeOf);

    private sealed class Reader(long requests, IKeySource keys, Func<ulong, int> sizeOf) : ITraceReader
    {
        private long _read;

        public int Read(Span<Request> target)
        {
            int count = (int)long.Min(target.Length, requests - _read);
            for (int index = 0; index < count; index++)
            {
                ulong key = SplitMix.Mix((ulong)keys.Next() + 1);
                target[index] = new Request(key, sizeOf(key), _read++);
            }

            return count;
        }

        public void Dispose()
        {
        }
    }
}
