// Places of a contract that hold one MessagePack value: numbers, text, bytes, times.
// Which they are, and their forms, is ContractFormatters'.
using System;

namespace Pile.Codecs;

/// <summary>A formatter of values that are one MessagePack value by themselves.</summary>
internal sealed class ContractValue<T>(Action<WireWriter, T> write, ContractRead<T> read) : ContractFormatter<T>
{
    internal override void Write(WireWriter writer, T value, int depth) => write(writer, value);

    internal override T Read(ref ContractReader reader) => read(ref reader);
}
