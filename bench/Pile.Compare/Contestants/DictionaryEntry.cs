using System;
using System.Collections.Concurrent;
using Pile.Compare.Running;
using Pile.Compare.Workloads;

namespace Pile.Compare.Contestants;

/// <summary>ConcurrentDictionary of byte arrays, sized for all objects. A touch is a get of the reference.</summary>
internal sealed class DictionaryEntry : IEntry
{
    public string Name => Entries.Dictionary;

    public int Order => 2;

    public string Guarantees => "a key index; no limit; every object is the collector's to scan and to move; in memory only";

    public string Version => Entries.VersionOf(typeof(ConcurrentDictionary<long, byte[]>));

    public void Serve(ChildServer server) => server.Serve(new Store(server.Objects));

    private sealed class Store(int objects) : IContestant<Operations>
    {
        private ConcurrentDictionary<long, byte[]> _dictionary = New(objects);

        public Operations Begin() => new(_dictionary);

        public void Clear()
        {
            _dictionary = new ConcurrentDictionary<long, byte[]>();
            GC.Collect();
            _dictionary = New(objects);
        }

        public void Dispose() => _dictionary.Clear();

        private static ConcurrentDictionary<long, byte[]> New(int objects) => new(Environment.ProcessorCount, objects);
    }

    private readonly struct Operations(ConcurrentDictionary<long, byte[]> dictionary) : IOperations
    {
        public long Put(int index, ReadOnlySpan<byte> payload)
        {
            dictionary[index] = payload.ToArray();
            return index;
        }

        public void Set(long handle, ReadOnlySpan<byte> payload) => dictionary[handle] = payload.ToArray();

        public long CopyMany(ReadOnlySpan<long> handles, Span<byte> target) => Loops.CopyEach(this, handles, target);

        public int Copy(long handle, Span<byte> target)
        {
            byte[] bytes = dictionary[handle];
            bytes.CopyTo(target);
            return bytes.Length;
        }

        public long Touch(long handle)
        {
            byte[] bytes = dictionary[handle];
            return bytes[0] + bytes[^1];
        }
    }
}
