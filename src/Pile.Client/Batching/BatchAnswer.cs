// BatchReply of protos/pile/v1/entries.proto, read by hand where its message lies. It accepts what generated parsers accept: unpacked lists,
// packed ones in several runs, fields in any order, twice, or unknown. A failure is read by the generated parser.
using System;
using System.IO;
using Google.Protobuf;
using Pile.Client.Calls;
using Pile.Wire;

namespace Pile.Client.Batching;

/// <summary>An answer to a batch. Used again for the next one; not thread-safe.</summary>
internal sealed class BatchAnswer
{
    private uint[] _lengths = new uint[64];
    private int _valuesAt;
    private int _valueBytes;

    internal ulong Id { get; private set; }

    /// <summary>How many values or outcomes it has.</summary>
    internal int Count { get; private set; }

    /// <summary>Whether it has outcomes rather than values.</summary>
    internal bool HasOutcomes { get; private set; }

    internal V1.BatchFailure? Failure { get; private set; }

    /// <summary>Reads a message.</summary>
    /// <exception cref="InvalidDataException">It is none.</exception>
    internal void Read(ReadOnlySpan<byte> message)
    {
        Clear();
        uint chosen = 0;
        var reader = new WireReader(message);
        while (!reader.IsAtEnd)
        {
            uint tag = reader.Tag();
            uint field = tag >> 3;
            if ((tag & 7) != WireReader.Length || field is not (1 or 2 or 3))
            {
                reader.Skip(tag);
                continue;
            }

            // Of one choice twice the second is merged into the first; of two the last counts.
            if (field != chosen)
            {
                Clear();
                chosen = field;
            }

            ReadOnlySpan<byte> bytes = reader.Bytes();
            if (field == 3)
            {
                ReadFailure(bytes);
            }
            else
            {
                HasOutcomes = field == 2;
                ReadBatch(bytes, reader.At - bytes.Length);
            }
        }

        if (chosen == 0)
        {
            throw new InvalidDataException("The message has no reply.");
        }
    }

    /// <summary>Gives the calls of a batch their answers.</summary>
    /// <returns>False when the answer does not fit to the batch; no call was answered.</returns>
    internal bool TryGive(ReadOnlySpan<byte> message, ItemBatch batch, string endpoint)
    {
        if (Count != batch.Count || HasOutcomes != (batch.Kind != BatchKind.Get) || !Fits())
        {
            return false;
        }

        ReadOnlySpan<byte> values = message.Slice(_valuesAt, _valueBytes);
        for (int index = 0; index < Count; index++)
        {
            uint length = _lengths[index];
            if (HasOutcomes)
            {
                Give(batch.Items[index], (V1.Outcome)(int)length, endpoint);
                continue;
            }

            int bytes = length == 0 ? 0 : (int)(length - 1);
            batch.Items[index].Answer(length > 0, values[..bytes]);
            values = values[bytes..];
        }

        return true;
    }

    private static void Give(PendingItem item, V1.Outcome outcome, string endpoint)
    {
        if (outcome == V1.Outcome.Full)
        {
            item.Fail(CallFailures.Full(endpoint));
        }
        else
        {
            item.Answer(outcome);
        }
    }

    private bool Fits()
    {
        long bytes = 0;
        for (int index = 0; index < Count && !HasOutcomes; index++)
        {
            bytes += _lengths[index] == 0 ? 0 : _lengths[index] - 1;
        }

        return bytes == _valueBytes;
    }

    private void Clear()
    {
        Id = 0;
        Count = 0;
        HasOutcomes = false;
        Failure = null;
        _valuesAt = _valueBytes = 0;
    }

    private void ReadFailure(ReadOnlySpan<byte> bytes)
    {
        try
        {
            Failure ??= new V1.BatchFailure();
            Failure.MergeFrom(bytes);
            Id = Failure.Id;
        }
        catch (InvalidProtocolBufferException malformed)
        {
            throw new InvalidDataException(malformed.Message, malformed);
        }
    }

    private void ReadBatch(ReadOnlySpan<byte> bytes, int at)
    {
        var reader = new WireReader(bytes);
        while (!reader.IsAtEnd)
        {
            uint tag = reader.Tag();
            switch (tag)
            {
                case (1 << 3) | WireReader.Varint:
                    Id = reader.Number();
                    break;
                case (2 << 3) | WireReader.Varint:
                    Add((uint)reader.Number());
                    break;
                case (2 << 3) | WireReader.Length:
                    var run = new WireReader(reader.Bytes());
                    while (!run.IsAtEnd)
                    {
                        Add((uint)run.Number());
                    }

                    break;
                case (3 << 3) | WireReader.Length when !HasOutcomes:
                    _valueBytes = reader.Bytes().Length;
                    _valuesAt = at + reader.At - _valueBytes;
                    break;
                default:
                    reader.Skip(tag);
                    break;
            }
        }
    }

    // More than a batch can have are counted and not kept: the answer fits to none then.
    private void Add(uint length)
    {
        if (Count < ClientLimits.BatchItemsMax)
        {
            if (Count == _lengths.Length)
            {
                Array.Resize(ref _lengths, Count * 2);
            }

            _lengths[Count] = length;
        }

        Count++;
    }
}
