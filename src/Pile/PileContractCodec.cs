// Objects as other programs' MessagePack libraries have them, by the attributes of System.Runtime.Serialization. A door of its own
// beside the general codec: the form can be read by anybody who knows the contract, but keeps neither references nor types.
// Registered with PileCodecs.Add like any other codec.
using System;
using System.Buffers;
using System.Runtime.Serialization;
using Pile.Codecs;
using Pile.Primitives;

namespace Pile;

/// <summary>Writes types with <see cref="DataContractAttribute"/> and <c>[DataMember(Order = n)]</c> as MessagePack arrays whose element
/// n is that member: what MessagePack-CSharp's standard resolver writes for the same attributes, and reads.</summary>
/// <typeparam name="T">The type; with all that its members hold: single values, nullable ones, arrays, List, Dictionary, other contracts.</typeparam>
/// <remarks>Times are timestamps in UTC, Guid and decimal are text, bytes are bytes. A member that a shorter array lacks stays at its
/// type's default: no constructor is called. The bytes of a lease on such an object begin after its first 8. Thread-safe.</remarks>
public sealed class PileContractCodec<T> : IPileCodec<T>
    where T : notnull
{
    private readonly ContractFormatter<T> _formatter;

    /// <summary>Makes the codec of a contract.</summary>
    /// <exception cref="ArgumentException">The type is no such contract; the message names the member and what to change.</exception>
    /// <exception cref="NotSupportedException">The program was compiled whole ahead of time (PublishAot), where members can't be seen.</exception>
    public PileContractCodec()
    {
        AheadOfTime.RefuseContract(typeof(T), AheadOfTime.IsWhole);
        if (!typeof(T).IsDefined(typeof(DataContractAttribute), inherit: false))
        {
            throw new ArgumentException($"{TypeName.Display(typeof(T))} has no [DataContract].");
        }

        ContractFormatters.Check(typeof(T));
        _formatter = ContractFormatters.Of<T>();
    }

    /// <inheritdoc/>
    /// <exception cref="PileRefusedException">The value contains itself or nests deeper than 64, an object is of a class derived from
    /// its member's, or a text has half of a surrogate pair.</exception>
    public void Write(T value, IBufferWriter<byte> writer)
    {
        ArgumentNullException.ThrowIfNull(value);
        ArgumentNullException.ThrowIfNull(writer);
        WireWriter wire = ContractWriters.Take();
        try
        {
            _formatter.Write(wire, value, 0);
            writer.Write(wire.Written);
        }
        finally
        {
            ContractWriters.Return(wire);
        }
    }

    /// <inheritdoc/>
    /// <exception cref="PileTypeMismatchException">The bytes are MessagePack, but not of this contract: a member's type may have changed since.</exception>
    /// <exception cref="PileCorruptedException">The bytes are damaged: no MessagePack, more than one value, or one that asks for too much.</exception>
    public T Read(ReadOnlySpan<byte> payload)
    {
        var reader = new ContractReader(new WireReader(payload));
        T value;
        try
        {
            value = _formatter.Read(ref reader);
        }
        catch (PileCorruptedException other) when (!reader.IsBeyondLimits && ContractBytes.AreWhole(payload))
        {
            throw ContractBytes.Mismatch(typeof(T), reader.Member, other);
        }

        if (reader.Wire.Remaining > 0 || value is null)
        {
            Throw.CorruptedValueOf($"{reader.Wire.Remaining:N0} bytes follow it, or it is nil", reader.Wire.Position);
        }

        return value;
    }
}
