using System;
using System.Buffers;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.Serialization;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Former names of properties whose fields F# and Visual Basic name after them in ways of their own.</summary>
public sealed class CompilersNamesTests
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

    [Theory]

    // F#, Visual Basic, and C# beside them.
    [InlineData("Old@", "New@", "Old", false)]
    [InlineData("Old@", "New@", "Old@", false)]
    [InlineData("_Old", "_New", "Old", true)]
    [InlineData("_Old", "_New", "_Old", true)]
    [InlineData("<Old>k__BackingField", "<New>k__BackingField", "Old", true)]

    // The field that C# makes of a primary constructor's parameter.
    [InlineData("<old>P", "<New>k__BackingField", "old", true)]
    [InlineData("<old>P", "<New>k__BackingField", "<old>P", true)]
    public void AFormerNameIsThatOfThePropertyOrOfItsField(string before, string after, string former, bool isOfCompiler) =>
        Assert.Equal("kept", ReadAfter(before, after, former, isOfCompiler));

    /// <summary>What a program itself called so is a field like others.</summary>
    [Fact]
    public void AFieldThatTheProgramNamedSoIsNoPropertysOwn() => Assert.Null(ReadAfter("_Old", "_New", "Old", isOfCompiler: false));

    [Fact]
    public void AFieldIsReadFromThePrimaryConstructorsParameterThatItsFormerNameNames()
    {
        var store = new GraphStore();
        byte[] bytes = store.Write(new ByParameter(42));
        var later = new GraphStore(store);
        later.Table.Known.Add(typeof(ByField));
        Assert.Equal(42, Assert.IsType<ByField>(later.Read<object>(bytes)).Total);
    }

    /// <summary>A base may have a field by the same former name, which had none.</summary>
    [Fact]
    public void AParameterIsReadIntoTheFieldOfTheTypeThatHadIt()
    {
        var store = new GraphStore();
        byte[] bytes = store.Write(new DerivedByParameter(42));
        var later = new GraphStore(store);
        later.Table.Known.Add(typeof(DerivedByField));
        DerivedByField read = Assert.IsType<DerivedByField>(later.Read<object>(bytes));
        Assert.Equal((0, 42), (read.Of, read.Total));
    }

    /// <summary>A contract's member without a setter is read into the field that its getter gives, whichever compiler made it: optimized, Visual Basic, C# with a block.</summary>
    [Theory]
    [InlineData("New@", "02 7B 2A")]
    [InlineData("_New", "02 7B 2B00 2A")]
    [InlineData("_new", "00 02 7B 0A 2B00 06 2A")]
    public void AMemberOfAContractIsReadIntoTheFieldThatItsGetterGives(string field, string code)
    {
        Type type = Define(field, "Old", isOfCompiler: false, code);
        object value = Activator.CreateInstance(type)!;
        type.GetField(field, Any)!.SetValue(value, "kept");
        object codec = Activator.CreateInstance(typeof(PileContractCodec<>).MakeGenericType(type))!;
        var writer = new ArrayBufferWriter<byte>();
        _ = codec.GetType().GetMethod("Write")!.Invoke(codec, [value, writer]);

        Assert.Equal("kept", ReadBy(codec, type, field, writer.WrittenSpan.ToArray()));
    }

    /// <summary>A setter may add to the field that such a member gives: what is stored of the member counts.</summary>
    [Fact]
    public void AMemberWithoutASetterIsSetBehindTheOthers()
    {
        var codec = new PileContractCodec<Order>();
        var writer = new ArrayBufferWriter<byte>();
        codec.Write(new Order { Lines = [3, 4] }, writer);
        Order read = codec.Read(writer.WrittenSpan);
        Assert.Equal(2, read.Count);
        Assert.Equal([3, 4], read.Lines);
    }

    private static object? ReadBy(object codec, Type type, string field, byte[] bytes) =>
        type.GetField(field, Any)!.GetValue(typeof(CompilersNamesTests).GetMethod(nameof(ReadAs), BindingFlags.Static | BindingFlags.NonPublic)!.MakeGenericMethod(type).Invoke(null, [codec, bytes]));

    private static T ReadAs<T>(PileContractCodec<T> codec, byte[] bytes)
        where T : notnull => codec.Read(bytes);

    private static object? ReadAfter(string before, string after, string former, bool isOfCompiler)
    {
        Type then = Define(before, null, isOfCompiler);
        object value = Activator.CreateInstance(then)!;
        then.GetField(before, Any)!.SetValue(value, "kept");
        var store = new GraphStore();
        byte[] bytes = store.Write(value);

        Type today = Define(after, former, isOfCompiler);
        var later = new GraphStore(store);
        later.Table.Known.Add(today);
        return today.GetField(after, Any)!.GetValue(later.Read<object>(bytes));
    }

    /// <summary>A class with the property New over a field, and of its getter the code.</summary>
    private static Type Define(string field, string? former, bool isOfCompiler, string getterCode = "02 7B 2A")
    {
        TypeBuilder type = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Shop"), AssemblyBuilderAccess.RunAndCollect).DefineDynamicModule("Shop").DefineType("Shop.Row", TypeAttributes.Public);
        FieldBuilder made = type.DefineField(field, typeof(string), FieldAttributes.Assembly);
        if (isOfCompiler)
        {
            made.SetCustomAttribute(new CustomAttributeBuilder(typeof(CompilerGeneratedAttribute).GetConstructor([])!, []));
        }

        if (former is not null)
        {
            MethodBuilder getter = type.DefineMethod("get_New", MethodAttributes.Public, typeof(string), []);
            ILGenerator code = getter.GetILGenerator();
            _ = code.DeclareLocal(typeof(string));
            foreach (string step in getterCode.Split(' '))
            {
                Emit(code, step, made);
            }

            PropertyBuilder property = type.DefineProperty("New", PropertyAttributes.None, typeof(string), null);
            property.SetGetMethod(getter);
            property.SetCustomAttribute(new CustomAttributeBuilder(
                typeof(DataMemberAttribute).GetConstructor([])!, [], [typeof(DataMemberAttribute).GetProperty(nameof(DataMemberAttribute.Order))!], [0]));
            property.SetCustomAttribute(new CustomAttributeBuilder(typeof(PileNameAttribute).GetConstructor([typeof(string)])!, [former]));
        }

        type.SetCustomAttribute(new CustomAttributeBuilder(typeof(DataContractAttribute).GetConstructor([])!, []));
        return type.CreateType();
    }

    internal sealed class ByParameter(int total)
    {
        internal int Total => total;
    }

    [PileName("Pile.Tests.Codecs.CompilersNamesTests+ByParameter")]
    internal sealed class ByField
    {
        [PileName("total")]
        private readonly int _total;

        internal ByField(int total) => _total = total;

        internal int Total => _total;
    }

    internal class BaseByParameter;

    internal sealed class DerivedByParameter(int total) : BaseByParameter
    {
        internal int Total => total;
    }

    [PileName("Pile.Tests.Codecs.CompilersNamesTests+BaseByParameter")]
    internal class BaseByField
    {
        [PileName("total")]
        internal int Of { get; set; }
    }

    [PileName("Pile.Tests.Codecs.CompilersNamesTests+DerivedByParameter")]
    internal sealed class DerivedByField : BaseByField
    {
        [PileName("total")]
        internal int Total { get; set; }
    }

    /// <summary>No constructor runs when it is read.</summary>
    [DataContract]
    internal sealed class Order
    {
        private int _count;

        [DataMember(Order = 0)]
        public int Count => _count;

        [DataMember(Order = 1)]
        public int[] Lines
        {
            get => field ?? [];
            set
            {
                field = value;
                _count += value.Length;
            }
        }
    }

    private static void Emit(ILGenerator code, string step, FieldInfo field)
    {
        switch (step)
        {
            case "7B":
                code.Emit(OpCodes.Ldfld, field);
                break;
            case "2B00":
                Label next = code.DefineLabel();
                code.Emit(OpCodes.Br_S, next);
                code.MarkLabel(next);
                break;
            default:
                code.Emit(step switch { "00" => OpCodes.Nop, "02" => OpCodes.Ldarg_0, "0A" => OpCodes.Stloc_0, "06" => OpCodes.Ldloc_0, _ => OpCodes.Ret });
                break;
        }
    }
}
