// Which arrays of a payload are not at their end yet, while it is written. Each value is looked at once, when somebody asks:
// what is written pays nothing for it.
using System.Buffers.Binary;
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>The arrays around the end of what is written. Not thread-safe.</summary>
internal sealed class OpenArrays
{
    private readonly List<(int Offset, int Left)> _open = [];
    private int _position;

    /// <summary>Begins with the value that is written at a position.</summary>
    internal void Begin(int position)
    {
        _open.Clear();
        _position = position;
    }

    /// <summary>Whether the array at an offset is around what is written next.</summary>
    internal bool Contain(WireReader written, int offset)
    {
        written.Position = _position;
        while (written.Remaining > 0)
        {
            int at = written.Position;
            bool isArray = WireTypes.Of(written.Peek()) == WireType.Array;
            int count = 0;
            if (isArray)
            {
                count = ReadHeader(ref written);
            }
            else
            {
                written.Skip();
            }

            if (_open.Count > 0)
            {
                _open[^1] = (_open[^1].Offset, _open[^1].Left - 1);
            }

            if (isArray)
            {
                _open.Add((at, count));
            }

            while (_open.Count > 0 && _open[^1].Left == 0)
            {
                _open.RemoveAt(_open.Count - 1);
            }
        }

        _position = written.Position;
        return _open.Exists(open => open.Offset == offset);
    }

    /// <summary>The elements that a header announces; not all of them are there.</summary>
    private static int ReadHeader(ref WireReader written) => written.Next() switch
    {
        WireCode.Array16 => BinaryPrimitives.ReadUInt16BigEndian(written.Take(sizeof(ushort))),
        WireCode.Array32 => BinaryPrimitives.ReadInt32BigEndian(written.Take(sizeof(int))),
        byte code => code & 15,
    };
}
